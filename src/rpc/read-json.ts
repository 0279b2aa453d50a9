import { SkillsError } from '../errors.ts'

/** Maximum nesting of objects and arrays in a request, including its envelope. */
export const MAX_DEPTH = 64

/**
 * Parses a request. Rejects excessive nesting first, so that recursive code cannot overflow the
 * stack.
 */
export function readJson(text: string): unknown {
  if (measureNesting(text) > MAX_DEPTH) {
    throw new SkillsError(
      'rpc/invalid-request',
      `Invalid Request: expected at most ${MAX_DEPTH} levels of nesting`,
    )
  }
  const value = parseJsonBody(text)
  if (MAY_OVERFLOW.test(text) && hasInfinity(value)) {
    throw new SkillsError(
      'rpc/invalid-request',
      'Invalid Request: a number is larger than a double can hold',
    )
  }
  return value
}

function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SkillsError('rpc/not-json', 'Parse error: the body is not valid JSON', { cause })
  }
}

/** Returns the nesting depth of brackets outside strings. Stops counting above the limit. */
function measureNesting(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length && deepest <= MAX_DEPTH; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(text, at)
    else if (code === BRACE || code === BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === BRACE + 2 || code === BRACKET + 2) depth--
  }
  return deepest
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The code of a closing bracket is two higher than that of the opening one. */
const BRACKET = 0x5b
const BRACE = 0x7b

/** Returns the index of the quote that ends a string. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** Cheap pre-check: only numbers with long exponents or very many digits can overflow. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|\d{150}/

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasInfinity)
}
