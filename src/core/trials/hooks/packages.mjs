// The same packages for modules that import them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const SCHEME = 'missing:'
const { isPackage } = createRequire(import.meta.url)('./packages.cjs')
const path = new URL('packages.cjs', import.meta.url).pathname

export async function resolve(name, context, next) {
  try {
    return await next(name, context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isPackage(name)) throw error
    const names = listImportedNames(readImporter(context.parentURL), name)
    const url = `${SCHEME}${encodeURIComponent(name)}?${names.join(',')}`
    return { url, shortCircuit: true, format: 'module' }
  }
}

export async function load(url, context, next) {
  if (!url.startsWith(SCHEME)) return await next(url, context)
  const [name, names] = url.slice(SCHEME.length).split('?')
  const source = [
    `import { createRequire } from 'node:module'`,
    `const found = createRequire('file:///')(${JSON.stringify(path)}).createPackage(${JSON.stringify(decodeURIComponent(name))})`,
    'export default found.default ?? found',
    ...names
      .split(',')
      .filter(Boolean)
      .map((each) => `export const ${each} = found.${each}`),
  ].join('\n')
  return { source, format: 'module', shortCircuit: true }
}

/** The text of a module; of one that is no file, the text on the command line. */
function readImporter(url = '') {
  try {
    return readFileSync(new URL(url), 'utf8')
  } catch {
    return process.execArgv.join('\n')
  }
}

/** Names that a text imports from a package, which must exist before it is executed. */
function listImportedNames(text, name) {
  const plain = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const imports = new RegExp(`import\\s[^;'"]*\\{([^}]*)\\}\\s*from\\s*['"]${plain}['"]`, 'g')
  const found = [...text.matchAll(imports)].flatMap(([, list]) => list.split(','))
  return [
    ...new Set(
      found
        .map((each) => each.trim().split(/\s+as\s+/)[0])
        .filter((each) => /^[A-Za-z_$][\w$]*$/.test(each) && each !== 'default'),
    ),
  ]
}
