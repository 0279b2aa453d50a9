/** A quote that nothing closes. */
interface UnclosedQuote {
  character: string
  /** From 1. */
  line: number
}

/** Here-documents, patterns of `case`, and what has code of its own inside of quotes. */
const UNSUPPORTED_SYNTAX = /<<-?\s*['"\\]?[A-Za-z_]|\bcase\b|\$\(/

/**
 * The quote of a shell's code that is open at its end. Undefined where all are closed, and where that
 * cannot be told without reading it as the shell does.
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

/** Where the quote of a place is closed; between apostrophes nothing is escaped. */
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
