// Errors in the format for the host.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeSyntaxError } from './syntax-check.mjs'

const TEXT_LIMIT = 8000
const STACK_LIMIT = 32000
/** Frames that are shown with their line of code, and the longest such line. */
const MAX_CODE_FRAMES = 10
const MAX_CODE_LINE = 200
/** Stack lines with this folder belong to the harness, not to the skill. */
const HARNESS_FOLDER = fileURLToPath(new URL('.', import.meta.url))

export class EntrypointNotFound extends Error {}

/** Builds the error of a failed run. */
export function buildFailure(type, message, more = {}) {
  return {
    error: { type: type.slice(0, 200), message: truncateText(message, TEXT_LIMIT), ...more },
  }
}

/** Builds the error of a thrown value, which need not be an Error. */
export function toFailure(thrown) {
  if (!(thrown instanceof Error)) {
    return buildFailure('Error', `The code threw ${describeValue(thrown)}, which is not an Error`)
  }
  const { errno, message } = thrown
  return buildFailure(
    getErrorName(thrown),
    (typeof message === 'string' ? message : describeValue(message)) + describeCause(thrown),
    {
      traceback: cleanStack(thrown),
      ...(Number.isInteger(errno) && { errno: Math.abs(errno) }),
    },
  )
}

/** Code of the cells of a kernel by name, as their stack lines have it. */
const cells = new Map()

export function rememberCell(name, code) {
  cells.set(name, code)
}

function getErrorName(error) {
  const { name } = error
  if (typeof name !== 'string' || name === '') return 'Error'
  // A custom class usually inherits the name of its base class.
  const own = error.constructor?.name
  return name === 'Error' && typeof own === 'string' && own !== '' ? own : name
}

/** Adds the cause of "fetch failed", whose message does not name one. */
function describeCause({ message, cause }) {
  if (message !== 'fetch failed' || !(cause instanceof Error)) return ''
  const errors = Array.isArray(cause.errors) ? cause.errors : [cause]
  const texts = errors.map((each) => each?.message || each?.code).filter(Boolean)
  return texts.length === 0 ? '' : `: ${[...new Set(texts)].join('; ')}`
}

function describeValue(value) {
  try {
    return truncateText(typeof value === 'string' ? JSON.stringify(value) : String(value), 200)
  } catch {
    return `a ${typeof value}`
  }
}

function cleanStack(error) {
  const { stack } = error
  if (typeof stack !== 'string') return undefined
  let codeFrames = 0
  const lines = cutCellStack(stack.split('\n'))
    .filter((line) => !isMachinery(line))
    .flatMap((line) => {
      const code = codeFrames < MAX_CODE_FRAMES ? readCodeFrame(line) : []
      if (code.length > 0) codeFrames++
      return [line, ...code]
    })
  if (error instanceof SyntaxError && !lines.some((line) => /^\s+at |\d+$/.test(line))) {
    lines.push(...locateSyntaxError(error))
  }
  const text = lines.join('\n')
  const half = STACK_LIMIT / 2
  return text.length <= STACK_LIMIT ? text : `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

/** Code of a cell is evaluated by the kernel, whose frames follow. */
function cutCellStack(lines) {
  const end = lines.findIndex((line) => line.includes('evalmachine.<anonymous>'))
  return end < 0 ? lines : lines.slice(0, end)
}

function locateSyntaxError({ message }) {
  try {
    return [describeSyntaxError(message)].filter(Boolean)
  } catch {
    return []
  }
}

/** The line of code of a stack line, and a caret below its column. */
function readCodeFrame(stackLine) {
  const [, url, line, column] =
    /^\s+at (?:.*?\()?(file:\/\/[^\s()]+|cell-\d+):(\d+):(\d+)\)?$/.exec(stackLine) ?? []
  if (url === undefined || url.includes('/node_modules/')) return []
  try {
    const text = cells.get(url) ?? readFileSync(fileURLToPath(url), 'utf8')
    const code = text.split(/\r?\n/)[line - 1] ?? ''
    const indent = code.length - code.trimStart().length
    if (code.trim() === '' || code.length > MAX_CODE_LINE || column <= indent) return []
    const caret = ' '.repeat(column - 1 - indent)
    return [`        ${code.trim()}`, `        ${caret}^`]
  } catch {
    return []
  }
}

function isMachinery(line) {
  if (!/^\s+at /.test(line)) return false
  return /node:(?:internal\/|inspector|vm\b)/.test(line) || line.includes(HARNESS_FOLDER)
}

function truncateText(text, limit) {
  return text.length <= limit ? text : `${text.slice(0, limit)} …`
}
