// Finds the function to call, in a skill or in submitted code.
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EntrypointNotFound } from './errors.mjs'
import { job } from './job.mjs'

const { entry, folders } = job

/** Returns the function. Loading its file has run all module code. */
export async function findFunction() {
  const isSkill = entry.kind === 'skill'
  const where = isSkill ? `"${entry.entrypoint}"` : 'The code'
  const namespace = await import(pathToFileURL(isSkill ? findSkillFile() : writeCodeFile()).href)
  // The exports of a CommonJS file are often found only under `default`.
  const found = namespace[entry.export] ?? namespace.default?.[entry.export]
  if (typeof found === 'function') return found
  throw new EntrypointNotFound(`${where} exports no function "${entry.export}"`)
}

function findSkillFile() {
  const root = join(realpathSync(folders.skills), entry.skill)
  const file = join(root, entry.entrypoint)
  const isThere = existsSync(file) && statSync(file).isFile()
  // A link that leads out of the skill is rejected.
  if (isThere && realpathSync(file).startsWith(root + sep)) return file
  throw new EntrypointNotFound(`The skill has no file "${entry.entrypoint}"`)
}

/** Writes the code to a file that can import mounted skills. */
function writeCodeFile() {
  const file = join(writeSkillPackage(), `code${getExtension(entry)}`)
  writeFileSync(file, addExport(entry))
  return file
}

/** Returns a folder in which code can import mounted skills as 'skills/<name>'. */
export function writeSkillPackage() {
  const folder = join(folders.tmp, 'submitted')
  const packages = join(folder, 'node_modules', 'skills')
  mkdirSync(packages, { recursive: true })
  writeFileSync(join(packages, 'package.json'), '{"exports":{"./*":"./*.mjs"}}')
  for (const { name, entrypoint } of job.skills) {
    if (entrypoint === null) continue
    const url = pathToFileURL(join(folders.skills, name, entrypoint)).href
    writeFileSync(join(packages, `${name}.mjs`), formatReexport(url))
  }
  return folder
}

function formatReexport(url) {
  const from = JSON.stringify(url)
  return `export * from ${from}\nimport * as all from ${from}\nexport default all.default ?? all\n`
}

function isCommonJs({ code }) {
  return /^\s*(?:module\.)?exports\b/m.test(code)
}

function getExtension(source) {
  if (source.language === 'typescript') return isCommonJs(source) ? '.cts' : '.mts'
  return isCommonJs(source) ? '.cjs' : '.mjs'
}

/** Exports the function if the code defines it without exporting it. */
function addExport(source) {
  const { code, export: name } = source
  const own = name.replaceAll('$', String.raw`\$`)
  const defines = String.raw`(?:(?:async\s+)?function\s*\*?\s*|(?:const|let|var)\s+)${own}(?![\w$])`
  const isDefined = new RegExp(String.raw`^[ \t]*${defines}`, 'm').test(code)
  const isExported = new RegExp(
    String.raw`export\s+(?:default\s+)?${defines}|export\s*\{[^}]*(?<![\w$])${own}(?![\w$])[^}]*\}`,
  ).test(code)
  return isCommonJs(source) || isExported || !isDefined ? code : `${code}\nexport { ${name} }\n`
}
