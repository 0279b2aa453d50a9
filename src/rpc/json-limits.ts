import { SkillsError } from '../errors.ts'

/** Limits of the JSON of one request. */
export interface JsonLimits {
  /** Maximum number of members of objects and elements of arrays, at all levels together. */
  maxValues: number
}

/** Each value takes time in several steps: a request of this many takes well below a second. */
export const REQUEST_LIMITS: JsonLimits = { maxValues: 50_000 }

/** Maximum nesting of objects and arrays in a request, including its envelope. */
export const MAX_DEPTH = 64
/** Maximum characters of one number: longer ones take long to parse, and no double is so exact. */
export const MAX_NUMBER_CHARS = 1000

export function tooManyValuesError(maxValues: number): SkillsError {
  return new SkillsError(
    'http/too-large',
    `Expected at most ${maxValues} values in a request, got more`,
    { hint: 'Pass such data as a blob, or as text', data: { max_values: maxValues } },
  )
}

export function tooDeepError(): SkillsError {
  return new SkillsError(
    'rpc/invalid-request',
    `Invalid Request: expected at most ${MAX_DEPTH} levels of nesting`,
  )
}

export function longNumberError(): SkillsError {
  return new SkillsError(
    'rpc/invalid-request',
    `Invalid Request: expected at most ${MAX_NUMBER_CHARS} characters in a number`,
  )
}

export function longNameError(maxBytes: number): SkillsError {
  return new SkillsError(
    'rpc/invalid-request',
    `Invalid Request: expected at most ${maxBytes} bytes in a name`,
  )
}

export function infinityError(): SkillsError {
  return new SkillsError(
    'rpc/invalid-request',
    'Invalid Request: a number is larger than a double can hold',
  )
}

export function notJsonError(cause?: unknown): SkillsError {
  return new SkillsError('rpc/not-json', 'Parse error: the body is not valid JSON', { cause })
}
