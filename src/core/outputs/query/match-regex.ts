import { Automaton } from '../../../util/linear-regex/automaton.ts'
import { parseRegex, RegexSyntaxError } from '../../../util/linear-regex/parse-regex.ts'
import type { Expression } from '../../../util/linear-regex/syntax.ts'
import { listCaseForms } from './case-forms.ts'
import type { TermMatcher } from './match-terms.ts'

/**
 * States that a search may visit beyond those that it remembers. Few expressions need more than a
 * thousandth of it; one that does would block the process.
 */
const MAX_WORK = 2_000_000

/**
 * Finds lines that one of the expressions matches, ignoring case, in linear time. Throws
 * RegexSyntaxError.
 */
export function createRegexMatcher(patterns: readonly string[]): TermMatcher {
  const automaton = new Automaton(parseQueryRegexes(patterns), { isUnanchored: true })
  // State after the text so far, which the next text continues.
  let set = automaton.start
  return {
    matchesAll: false,
    longest: 0,
    restart() {
      set = automaton.start
    },
    find(bytes, from) {
      const first = from === 0 ? set : automaton.start
      const found = automaton.findInLines(bytes, from, { first, maxWork: MAX_WORK })
      set = found.set
      return found.at
    },
    matchesAtEnd: () => automaton.matchesBefore(set, undefined),
  }
}

/** One expression that matches wherever one of these does, ignoring case. */
export function parseQueryRegexes(patterns: readonly string[]): Expression {
  return { kind: 'choice', parts: patterns.map(parseQueryRegex) }
}

/** Sentence that refuses the expressions; undefined if they can be used. */
export function refuseRegexes(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    const reason = catchSyntaxError(() => createRegexMatcher([pattern]))
    if (reason !== undefined) {
      return `the regular expression ${JSON.stringify(pattern)} cannot be used: ${reason}`
    }
  }
  if (patterns.length === 1) return undefined
  const reason = catchSyntaxError(() => createRegexMatcher(patterns))
  return reason && `the regular expressions together cannot be used: ${reason}`
}

function catchSyntaxError(compile: () => unknown): string | undefined {
  try {
    compile()
    return undefined
  } catch (error) {
    if (error instanceof RegexSyntaxError) return error.message
    throw error
  }
}

function parseQueryRegex(pattern: string): Expression {
  return parseRegex(pattern.startsWith('(?i)') ? pattern : `(?i)${pattern}`, listCaseForms)
}
