// Finds the location of a syntax error. Node reports none for a module that does not compile.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { job } from './job.mjs'

const { entry, folders } = job
const MAX_FILES = 50
const CHECK_TIMEOUT_MS = 5000
/** Formats that are tried for each extension; a module is the more frequent one. */
const FORMATS = { '.js': ['.mjs', '.cjs'], '.mjs': ['.mjs'], '.cjs': ['.cjs'] }

/** Formats the location as a stack line with a code frame; undefined if no file has an error. */
export function describeSyntaxError(message) {
  for (const file of listCodeFiles().slice(0, MAX_FILES)) {
    const found = checkFile(file, message)
    if (found) return found
  }
  return undefined
}

function listCodeFiles() {
  if (entry.kind !== 'skill') {
    return ['.mjs', '.cjs'].map((each) => join(folders.tmp, 'submitted', `code${each}`))
  }
  const main = join(folders.skills, entry.skill, entry.entrypoint)
  const siblings = readdirSync(dirname(main), { recursive: true })
    .map((name) => join(dirname(main), name))
    .filter((file) => file !== main && !file.includes('/node_modules/'))
  return [main, ...siblings].filter((file) => Object.hasOwn(FORMATS, extname(file)))
}

function checkFile(file, message) {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  const outputs = FORMATS[extname(file)].map((extension) => checkAs(file, extension))
  if (outputs.includes('')) return undefined
  const output = outputs.find((each) => each.includes(message)) ?? ''
  const [, line, code, caret] = /:(\d+)\n(.*)\n( *)\^/.exec(output) ?? []
  if (line === undefined) return undefined
  const indent = code.length - code.trimStart().length
  const pointer = ' '.repeat(Math.max(0, caret.length - indent))
  const location = `${pathToFileURL(file).href}:${line}:${caret.length + 1}`
  return `    at ${location}\n        ${code.trim()}\n        ${pointer}^`
}

/** Errors that Node prints for a copy of the file; empty if it compiles. */
function checkAs(file, extension) {
  const copy = join(folders.tmp, `syntax-check${extension}`)
  writeFileSync(copy, readFileSync(file))
  const options = { encoding: 'utf8', timeout: CHECK_TIMEOUT_MS }
  const { status, stderr } = spawnSync(process.execPath, ['--check', copy], options)
  return status === 0 ? '' : stderr || 'no output'
}
