/** Levels of brackets that a manifest may have. */
export const MAX_NESTING = 200

/** Markers in one line: text has some dots and dashes, a rule of dashes has many, nothing has this many. */
const MAX_MARKERS = 1000
const MARKERS = new Set(['-', '?', '.'])
const OPENING = new Set(['[', '{'])
const CLOSING = new Set([']', '}'])

/**
 * The offset at which a text nests more deeply than a parser may be trusted with: recursive parsers
 * do not throw there, they can take the process down. Brackets inside texts count as well.
 */
export function findDeepNesting(text: string): number | undefined {
  let depth = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (OPENING.has(character)) depth += 1
    else if (CLOSING.has(character)) depth = Math.max(0, depth - 1)
    if (MARKERS.has(character)) run += 1
    else if (character === '\n') run = 0
    if (depth > MAX_NESTING || run > MAX_MARKERS) return at
  }
  return undefined
}
