import { SkillsError } from '../errors.ts'

/** Levels of objects and arrays that a request may have, its envelope included. */
export const MAX_DEPTH = 64

/** Reads a request's text. What could hurt a recursive reader is refused before anything is parsed. */
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
    throw new SkillsError('rpc/not-json', 'Parse error: the body is no JSON', { cause })
  }
}

/** How deeply brackets outside texts nest; stops counting where it is too much. */
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
/** The closing ones follow two places behind. */
const BRACKET = 0x5b
const BRACE = 0x7b

/** Where the text that begins at a quote ends. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** A cheap first look: only numbers with long exponents or very many digits can overflow. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|\d{150}/

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasInfinity)
}
