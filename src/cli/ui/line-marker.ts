import { createRegexMatcher, parseQueryRegexes } from '../../core/outputs/query/match-regex.ts'
import { RegexSyntaxError } from '../../util/linear-regex/parse-regex.ts'
import { RegexScanner } from '../../util/linear-regex/regex-scanner.ts'

/** Finds the matches of terms in a displayed line. */
interface LineMarker {
  isMatch(line: string): boolean
  /** The line, with its matches painted. */
  paint(line: string, paint: (text: string) => string): string
}

export function createLineMarker(terms: readonly string[], isRegex: boolean): LineMarker {
  return isRegex ? createRegexMarker(terms) : createTermMarker(terms)
}

function createTermMarker(terms: readonly string[]): LineMarker {
  const escaped = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const pattern = new RegExp(escaped.join('|'), 'iu')
  const every = new RegExp(pattern, 'giu')
  return {
    isMatch: (line) => pattern.test(line),
    paint: (line, paint) => line.replaceAll(every, (found) => (found === '' ? '' : paint(found))),
  }
}

/** Matches in linear time: the expressions of V8 could take hours for a line. */
function createRegexMarker(patterns: readonly string[]): LineMarker {
  const matcher = createRegexMatcher(patterns)
  const scanner = createScanner(patterns)
  return {
    isMatch(line) {
      matcher.restart()
      return matcher.find(Buffer.from(line), 0) !== -1 || matcher.matchesAtEnd()
    },
    paint(line, paint) {
      const bytes = Buffer.from(line)
      let painted = ''
      let end = 0
      for (const [from, to] of scanner?.findAll(bytes.toString('latin1')) ?? []) {
        painted += bytes.toString('utf8', end, from) + paint(bytes.toString('utf8', from, to))
        end = to
      }
      return painted + bytes.toString('utf8', end)
    },
  }
}

/** Undefined for expressions that match the empty text: nothing of a line is highlighted. */
function createScanner(patterns: readonly string[]): RegexScanner | undefined {
  try {
    return new RegexScanner(parseQueryRegexes(patterns))
  } catch (error) {
    if (error instanceof RegexSyntaxError) return undefined
    throw error
  }
}
