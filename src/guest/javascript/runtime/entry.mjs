// Finds the function that is to be called: of a skill, or of given code.
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EntrypointNotFound } from './errors.mjs'
import { job } from './job.mjs'

const { entry, folders } = job

/** The function; whatever its file does when it is loaded has happened by then. */
export async function findFunction() {
  const isSkill = entry.kind === 'skill'
  const where = isSkill ? `"${entry.entrypoint}"` : 'The code'
  const namespace = await import(pathToFileURL(isSkill ? fileOfSkill() : fileOfCode()).href)
  // What a file of the older kind exports is mostly found behind its default alone.
  const found = namespace[entry.export] ?? namespace.default?.[entry.export]
  if (typeof found === 'function') return found
  throw new EntrypointNotFound(`${where} exports no function "${entry.export}"`)
}

function fileOfSkill() {
  const root = join(realpathSync(folders.skills), entry.skill)
  const file = join(root, entry.entrypoint)
  const isThere = existsSync(file) && statSync(file).isFile()
  // A link that leads out of the skill is no file of it.
  if (isThere && realpathSync(file).startsWith(root + sep)) return file
  throw new EntrypointNotFound(`The skill has no file "${entry.entrypoint}"`)
}

/** Code beside which mounted skills can be imported as 'skills/<name>'. */
function fileOfCode() {
  const folder = join(folders.tmp, 'submitted')
  const packages = join(folder, 'node_modules', 'skills')
  mkdirSync(packages, { recursive: true })
  writeFileSync(join(packages, 'package.json'), '{"exports":{"./*":"./*.mjs"}}')
  for (const { name, entrypoint } of job.skills) {
    if (entrypoint === null) continue
    const url = pathToFileURL(join(folders.skills, name, entrypoint)).href
    writeFileSync(join(packages, `${name}.mjs`), reexport(url))
  }
  const file = join(folder, `code${getExtension(entry)}`)
  writeFileSync(file, exported(entry))
  return file
}

function reexport(url) {
  const from = JSON.stringify(url)
  return `export * from ${from}\nimport * as all from ${from}\nexport default all.default ?? all\n`
}

function isOlderKind({ code }) {
  return /^\s*(?:module\.)?exports\b/m.test(code)
}

function getExtension(given) {
  if (given.language === 'typescript') return isOlderKind(given) ? '.cts' : '.mts'
  return isOlderKind(given) ? '.cjs' : '.mjs'
}

/** A function that is defined and not exported is meant all the same. */
function exported(given) {
  const { code, export: name } = given
  const own = name.replaceAll('$', String.raw`\$`)
  const defines = String.raw`(?:(?:async\s+)?function\s*\*?\s*|(?:const|let|var)\s+)${own}(?![\w$])`
  const isDefined = new RegExp(String.raw`^[ \t]*${defines}`, 'm').test(code)
  const isExported = new RegExp(
    String.raw`export\s+(?:default\s+)?${defines}|export\s*\{[^}]*(?<![\w$])${own}(?![\w$])[^}]*\}`,
  ).test(code)
  return isOlderKind(given) || isExported || !isDefined ? code : `${code}\nexport { ${name} }\n`
}
