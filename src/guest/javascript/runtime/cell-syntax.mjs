// Syntax of cells that scripts do not have: imports and exports of modules.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeFileSync } from 'node:fs'

/** Mounted by the host. */
const PARSER = '/acorn/acorn.mjs'
const MODULE_SYNTAX = /\b(?:import|export)\b/
/** Name of the function that imports modules for cells. */
const LOADER = '__import'
/** Longer code is not searched for imports. */
const MAX_PARSED = 256 * 1024

/**
 * Replaces import declarations by calls of `import`, which resolves from this folder, and relative
 * paths from the current one. Names of a cell are visible to later cells without exports.
 */
export async function prepareCell(code, folder) {
  if (!MODULE_SYNTAX.test(code) || code.length > MAX_PARSED) return code
  const body = await parse(code)
  // The engine reports the error with its position.
  if (body === undefined) return code
  await installLoader(folder)
  return applyEdits(code, collectEdits(body))
}

async function parse(code) {
  const { parse: parseModule } = await import(PARSER)
  for (const sourceType of ['module', 'script']) {
    try {
      const options = { ecmaVersion: 'latest', sourceType, allowAwaitOutsideFunction: true }
      return parseModule(code, options).body
    } catch {
      // Sloppy code is a script only; the error of the engine is the one that is shown.
    }
  }
  return undefined
}

async function installLoader(folder) {
  if (globalThis[LOADER] !== undefined) return
  const file = join(folder, 'import.mjs')
  writeFileSync(file, 'export const load = (name, options) => import(name, options)\n')
  const { load } = await import(pathToFileURL(file).href)
  const value = (name, options) => {
    const text = String(name)
    const isPath = /^\.{0,2}\//.test(text)
    return load(isPath ? pathToFileURL(resolve(text)).href : text, options)
  }
  Object.defineProperty(globalThis, LOADER, { value })
}

/** Replacements by position, in their order. */
function collectEdits(body) {
  const edits = []
  const pending = [...body]
  while (pending.length > 0) {
    const node = pending.pop()
    if (node.type === 'ImportDeclaration') {
      edits.push({ start: node.start, end: node.end, text: formatImport(node) })
    } else if (node.type === 'ImportExpression') {
      edits.push({ start: node.start, end: node.start + 'import'.length, text: LOADER })
    } else if (node.type.startsWith('Export')) {
      edits.push({ start: node.start, end: node.declaration?.start ?? node.end, text: '' })
    }
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) pending.push(...child.filter((each) => each?.type))
      else if (child?.type) pending.push(child)
    }
  }
  return edits.sort((a, b) => a.start - b.start)
}

function formatImport({ specifiers, source }) {
  const call = `await ${LOADER}(${source.raw})`
  const names = []
  let all
  for (const { type, imported, local } of specifiers) {
    if (type === 'ImportNamespaceSpecifier') all = local.name
    else if (type === 'ImportDefaultSpecifier') names.push(`default: ${local.name}`)
    else names.push(`${imported.name ?? imported.raw}: ${local.name}`)
  }
  if (all !== undefined && names.length > 0) {
    return `const ${all} = ${call}, { ${names.join(', ')} } = ${all};`
  }
  if (all !== undefined) return `const ${all} = ${call};`
  return names.length > 0 ? `const { ${names.join(', ')} } = ${call};` : `${call};`
}

function applyEdits(code, edits) {
  let at = 0
  let text = ''
  for (const { start, end, text: replacement } of edits) {
    // Lines keep their numbers.
    const lines = '\n'.repeat(code.slice(start, end).split('\n').length - 1)
    text += code.slice(at, start) + replacement + lines
    at = end
  }
  return text + code.slice(at)
}
