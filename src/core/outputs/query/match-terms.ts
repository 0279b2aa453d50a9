import { listCaseForms } from './case-forms.ts'
import { LongTerm, measureFormAt, type SearchTerm } from './long-term.ts'

/** Finds terms or regular expressions in bytes, ignoring case. */
export interface TermMatcher {
  /** True if every line matches, because one of the terms is empty. */
  readonly matchesAll: boolean
  /** Bytes of a term's longest form; 0 if no line can match, and for regular expressions. */
  readonly longest: number
  /** Must be called before each stream. */
  restart(): void
  /**
   * Offset in the line of the first match at or after `from`; -1 if there is none. A regular
   * expression needs all text in order: `from` is the beginning of a line, or 0 to continue the
   * previous text.
   */
  find(bytes: Uint8Array, from: number): number
  /** True if a regular expression matches at the end of the last line. */
  matchesAtEnd(): boolean
}

/**
 * Horspool's search for several terms at once: one table tells how far the byte under the end of
 * the shortest term allows to advance. The forms of a character may differ in length; no form is a
 * prefix of another, so matching needs no backtracking. Only the beginning of a long term is
 * searched this way: text that nearly matches at every offset would otherwise take quadratic time.
 */
export function createTermMatcher(texts: readonly string[]): TermMatcher {
  const terms = texts.filter(canOccurInLine).map(compileTerm)
  const matchesAll = terms.some((term) => term.length === 0)
  if (matchesAll || terms.length === 0) {
    return {
      matchesAll,
      longest: 0,
      restart() {},
      matchesAtEnd: () => false,
      find: ({ length }, from) => (matchesAll && from < length ? from : -1),
    }
  }
  const prepared = terms.map(prepareTerm)
  const heads = prepared.map(({ head }) => head)
  const least = Math.min(...heads.map((term) => sumFormLengths(term, Math.min)))
  const skip = computeSkipTable(heads, least)
  const beginning = groupByFirstByte(prepared)
  return {
    matchesAll,
    longest: Math.max(...terms.map((term) => sumFormLengths(term, Math.max))),
    restart() {},
    matchesAtEnd: () => false,
    find(bytes, from) {
      for (const { whole } of prepared) whole?.reset()
      for (let end = from + least - 1; end < bytes.length;) {
        const step = skip[bytes[end] as number] as number
        if (step > 0) {
          end += step
          continue
        }
        const start = end - least + 1
        const possible = beginning[bytes[start] as number]
        if (possible && matchesAnyAt(possible, bytes, start)) return start
        end += 1
      }
      return -1
    },
  }
}

/** The beginning of a term, and the whole term if it is longer than that. */
interface PreparedTerm {
  head: SearchTerm
  whole: LongTerm | undefined
}

const MAX_HEAD_CHARACTERS = 32

function prepareTerm(term: SearchTerm): PreparedTerm {
  const isLong = term.length > MAX_HEAD_CHARACTERS
  return {
    head: term.slice(0, MAX_HEAD_CHARACTERS),
    whole: isLong ? new LongTerm(term) : undefined,
  }
}

/** Terms by the first byte of their forms. */
function groupByFirstByte(
  terms: readonly PreparedTerm[],
): readonly (readonly PreparedTerm[] | undefined)[] {
  const table: (PreparedTerm[] | undefined)[] = Array.from({ length: 256 })
  for (const term of terms) {
    for (const byte of new Set(term.head[0]?.map((form) => form[0] as number))) {
      table[byte] = [...(table[byte] ?? []), term]
    }
  }
  return table
}

/** A line contains no line feed; a lone surrogate has no UTF-8 form. */
function canOccurInLine(text: string): boolean {
  return !text.includes('\n') && !/\p{Surrogate}/u.test(text)
}

function compileTerm(text: string): SearchTerm {
  return Array.from(text, (character) => listCaseForms(character).map((form) => Buffer.from(form)))
}

function sumFormLengths(term: SearchTerm, choose: (...sizes: number[]) => number): number {
  return term.reduce((sum, forms) => sum + choose(...forms.map(({ length }) => length)), 0)
}

/**
 * For each byte, the distance of its last possible position from the end of the first `least`
 * bytes.
 */
function computeSkipTable(terms: readonly SearchTerm[], least: number): Uint16Array {
  const table = new Uint16Array(256).fill(least)
  for (const term of terms) {
    let starts = new Set([0])
    for (const forms of term) {
      const next = new Set<number>()
      for (const start of starts) {
        for (const form of forms) {
          next.add(start + form.length)
          for (const [at, byte] of form.entries()) {
            const left = least - 1 - start - at
            if (left >= 0) table[byte] = Math.min(table[byte] as number, left)
          }
        }
      }
      starts = new Set([...next].filter((start) => start < least))
    }
  }
  return table
}

/** Allocates nothing: called for millions of offsets. */
function matchesAnyAt(terms: readonly PreparedTerm[], bytes: Uint8Array, start: number): boolean {
  for (const { head, whole } of terms) {
    if (whole?.isRuledOut(start)) continue
    if (matchesTermAt(head, bytes, start) && (!whole || whole.matchesAt(bytes, start))) return true
  }
  return false
}

function matchesTermAt(term: SearchTerm, bytes: Uint8Array, start: number): boolean {
  let at = start
  for (const forms of term) {
    const size = measureFormAt(forms, bytes, at)
    if (size === 0) return false
    at += size
  }
  return true
}
