import { runInSlices } from '../util/slices/run-in-slices.ts'
import {
  infinityError,
  longNumberError,
  MAX_DEPTH,
  MAX_NUMBER_CHARS,
  notJsonError,
  tooDeepError,
  tooManyValuesError,
  type JsonLimits,
} from './json-limits.ts'
import { parseJson } from './parse-json.ts'

/** Smaller bodies are parsed at once. */
const MAX_BYTES_AT_ONCE = 128 * 1024

/** Parses the body of a request, which is UTF-8. A large one is parsed in slices. */
export async function readJsonBody(body: Buffer, limits: JsonLimits): Promise<unknown> {
  if (body.length <= MAX_BYTES_AT_ONCE) return readJson(body.toString('utf8'), limits)
  return await runInSlices(parseJson(body, limits))
}

/**
 * Parses a request at once. Rejects excessive nesting and too many values first, so that recursive
 * code cannot overflow the stack, and memory and time are bounded.
 */
export function readJson(text: string, limits: JsonLimits): unknown {
  const mayOverflow = scanJson(text, limits)
  const value = parseJsonText(text)
  if (mayOverflow && hasInfinity(value)) throw infinityError()
  return value
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJsonError(cause)
  }
}

/**
 * Checks the limits. Returns true if a number may be too large for a double: only numbers with an
 * exponent or very many digits can be.
 */
function scanJson(text: string, limits: JsonLimits): boolean {
  const numbers = new NumberScan()
  const values = new ValueScan(limits)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    numbers.add(code)
    values.add(code)
    if (code === QUOTE) at = findStringEnd(text, at)
  }
  return numbers.mayOverflow
}

/** Checks the length of numbers. */
class NumberScan {
  mayOverflow = false
  #chars = 0

  /** Adds a character outside of strings. */
  add(code: number): void {
    if (!isNumberCode(code)) this.#chars = 0
    else if (++this.#chars > MAX_NUMBER_CHARS) throw longNumberError()
    else if (this.#chars > MIN_OVERFLOWING_CHARS || isExponent(code)) this.mayOverflow = true
  }
}

/** Counts levels and values. */
class ValueScan {
  readonly #maxValues: number
  #depth = 0
  #values = 0
  /** The last character that is not white space. */
  #last = 0

  constructor({ maxValues }: JsonLimits) {
    this.#maxValues = maxValues
  }

  /** Adds a character outside of strings, or the quote at the start of one. */
  add(code: number): void {
    if (code <= SPACE) return
    if (code === COMMA || this.#isFirstValue(code)) this.#values += 1
    if (isOpening(code)) this.#depth += 1
    else if (isOpening(code - 2)) this.#depth -= 1
    if (this.#depth > MAX_DEPTH) throw tooDeepError()
    if (this.#values > this.#maxValues) throw tooManyValuesError(this.#maxValues)
    this.#last = code
  }

  /** An empty object or array has no value. */
  #isFirstValue(code: number): boolean {
    return isOpening(this.#last) && code !== this.#last + 2
  }
}

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** The code of a closing bracket is two higher than that of the opening one. */
const BRACKET = 0x5b
const BRACE = 0x7b
/** The largest double has 309 digits. */
const MIN_OVERFLOWING_CHARS = 300

/** True for digits, signs, the decimal point and the letter of an exponent. */
function isNumberCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x2b && code <= 0x2e && code !== COMMA) ||
    isExponent(code)
  )
}

function isExponent(code: number): boolean {
  return code === 0x45 || code === 0x65
}

/** True for the bracket that begins an object or an array. */
function isOpening(code: number): boolean {
  return code === BRACE || code === BRACKET
}

/** Returns the index of the quote that ends a string. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasInfinity)
}
