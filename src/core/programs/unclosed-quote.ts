/** A quote that is never closed. */
interface UnclosedQuote {
  character: string
  /** Starts at 1. */
  line: number
}

/**
 * Here-documents, patterns of `case`, and command substitutions, which the scanner does not parse.
 */
const UNSUPPORTED_SYNTAX = /<<-?\s*['"\\]?[A-Za-z_]|\bcase\b|\$\(/

/**
 * Finds the quote that is open at the end of shell code. Undefined if all quotes are closed, or if
 * the code contains syntax that the scanner does not parse.
 */
export function findUnclosedQuote(code: string): UnclosedQuote | undefined {
  if (UNSUPPORTED_SYNTAX.test(code)) return undefined
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string
    if (character === '\\') at += 1
    else if (`'"\``.includes(character)) {
      const end = findClosingQuote(code, at)
      if (end === undefined) return { character, line: code.slice(0, at).split('\n').length }
      at = end
    } else if (startsComment(code, at)) at = findLineEnd(code, at)
  }
  return undefined
}

/** Finds the end of the quote that starts at `start`. Single quotes have no escapes. */
function findClosingQuote(code: string, start: number): number | undefined {
  const quote = code[start]
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === quote) return at
    if (code[at] === '\\' && quote !== "'") at += 1
  }
  return undefined
}

function startsComment(code: string, at: number): boolean {
  return code[at] === '#' && /^$|[\s;&|()]/.test(code[at - 1] ?? '')
}

function findLineEnd(code: string, from: number): number {
  const end = code.indexOf('\n', from)
  return end === -1 ? code.length : end
}
