// Errors in the format for the host.
import { fileURLToPath } from 'node:url'

const TEXT_LIMIT = 8000
const STACK_LIMIT = 32000
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
    typeof message === 'string' ? message : describeValue(message),
    {
      traceback: cleanStack(thrown),
      ...(Number.isInteger(errno) && { errno: Math.abs(errno) }),
    },
  )
}

function getErrorName(error) {
  const { name } = error
  if (typeof name !== 'string' || name === '') return 'Error'
  // A custom class usually inherits the name of its base class.
  const own = error.constructor?.name
  return name === 'Error' && typeof own === 'string' && own !== '' ? own : name
}

function describeValue(value) {
  try {
    return truncateText(typeof value === 'string' ? JSON.stringify(value) : String(value), 200)
  } catch {
    return `a ${typeof value}`
  }
}

function cleanStack({ stack }) {
  if (typeof stack !== 'string') return undefined
  const lines = stack.split('\n').filter((line) => !isMachinery(line))
  const text = lines.join('\n')
  const half = STACK_LIMIT / 2
  return text.length <= STACK_LIMIT ? text : `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

function isMachinery(line) {
  return /^\s+at /.test(line) && (line.includes('node:internal/') || line.includes(HARNESS_FOLDER))
}

function truncateText(text, limit) {
  return text.length <= limit ? text : `${text.slice(0, limit)} …`
}
