import type { RunError } from '../result.ts'

/** Strings are matched as well, so that digits in them are not taken for numbers. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Contains a character that the result does not, so that it is found again. */
const PLACEHOLDER = '\u{10FFFF}number'
const PLAIN_KEY = /^[^'\\\p{C}]*$/u
const MAX_KEY = 40
const MAX_PATH = 200

/** Texts of the harness of a language. */
const TEXTS = {
  python: {
    infinity: 'inf',
    infinite: 'Return None where there is no number',
    integer: 'Return it as a string with str()',
  },
  javascript: {
    infinity: 'Infinity',
    infinite: 'Return null where there is no number',
    integer: 'Return it as a string with String()',
  },
  other: {
    infinity: 'Infinity',
    infinite: 'Return null where there is no number',
    integer: 'Return it as a string',
  },
}
type NumberTexts = Record<keyof typeof TEXTS.python, string>

/**
 * Finds the first number of a result that JSON readers would change or not accept. The harness
 * refuses these with the same sentence, but code in its process can write the result itself.
 */
export function findUnsafeNumber(json: string, language: string): RunError | undefined {
  for (const match of json.matchAll(STRING_OR_NUMBER)) {
    const [text] = match
    if (text.startsWith('"')) continue
    const isPython = language === 'python'
    const problem = describeNumber(text, selectTexts(language))
    if (!problem) continue
    const marked = `${json.slice(0, match.index)}"${PLACEHOLDER}"${json.slice(match.index + text.length)}`
    const path = findPath(JSON.parse(marked), isPython) ?? ''
    const place = path === '' ? '' : ` at ${path.slice(0, MAX_PATH)}`
    const message = `The result is not JSON: ${problem.value}${place}`
    return { type: 'SerializationError', message, hint: problem.hint }
  }
  return undefined
}

function selectTexts(language: string): NumberTexts {
  if (language === 'python') return TEXTS.python
  return language === 'node' || language === 'typescript' ? TEXTS.javascript : TEXTS.other
}

function describeNumber(
  text: string,
  texts: NumberTexts,
): { value: string; hint: string } | undefined {
  const value = Number(text)
  if (!Number.isFinite(value)) {
    return { value: `${value < 0 ? '-' : ''}${texts.infinity}`, hint: texts.infinite }
  }
  const isInteger = /^-?\d+$/.test(text)
  if (!isInteger || Number.isSafeInteger(value)) return undefined
  return { value: 'an integer beyond 2**53', hint: texts.integer }
}

/** Path of the placeholder, as the harness of the language writes it. */
function findPath(value: unknown, isPython: boolean): string | undefined {
  if (value === PLACEHOLDER) return ''
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, each] of Object.entries(value)) {
    const rest = findPath(each, isPython)
    if (rest === undefined) continue
    if (Array.isArray(value)) return `[${key}]${rest}`
    return `${isPython ? formatPythonKey(key) : `.${key.slice(0, MAX_KEY)}`}${rest}`
  }
  return undefined
}

function formatPythonKey(key: string): string {
  const cut = key.slice(0, MAX_KEY)
  return `[${PLAIN_KEY.test(cut) ? `'${cut}'` : JSON.stringify(cut)}]`
}
