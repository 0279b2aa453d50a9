import { caseForms } from './case-forms.ts'

/** Finds terms in bytes, without regard to case. */
export interface TermMatcher {
  /** Every line matches: an empty term is among them. */
  readonly matchesAll: boolean
  /** Bytes of the longest form of a term; none where no line can match. */
  readonly longest: number
  /** Where the first match begins that lies in this range; -1 where there is none. */
  find(bytes: Uint8Array, from: number, to: number): number
}

/** One term: for each of its characters the forms that it may have, in UTF-8. */
type Term = readonly (readonly Uint8Array[])[]

/**
 * Horspool's search for several terms at once: one table says how far the byte under the end of the
 * shortest term lets it move on. The forms of a character may differ in length; none of them begins
 * another, so comparing needs no way back.
 */
export function matchTerms(texts: readonly string[]): TermMatcher {
  const terms = texts.filter(canOccur).map(compile)
  const matchesAll = terms.some((term) => term.length === 0)
  if (matchesAll || terms.length === 0) {
    return { matchesAll, longest: 0, find: (_, from, to) => (matchesAll && from < to ? from : -1) }
  }
  const least = Math.min(...terms.map((term) => extent(term, Math.min)))
  const skip = skips(terms, least)
  return {
    matchesAll,
    longest: Math.max(...terms.map((term) => extent(term, Math.max))),
    find(bytes, from, to) {
      for (let end = from + least - 1; end < to;) {
        const step = skip[bytes[end] as number] as number
        if (step > 0) {
          end += step
          continue
        }
        const start = end - least + 1
        for (const term of terms) if (isAt(term, bytes, { start, to })) return start
        end += 1
      }
      return -1
    },
  }
}

/** A line has no line end in it; half a character is none. */
function canOccur(text: string): boolean {
  return !text.includes('\n') && !/\p{Surrogate}/u.test(text)
}

function compile(text: string): Term {
  return Array.from(text, (character) => caseForms(character).map((form) => Buffer.from(form)))
}

function extent(term: Term, choose: (...sizes: number[]) => number): number {
  return term.reduce((sum, forms) => sum + choose(...forms.map(({ length }) => length)), 0)
}

/** For each byte, how far its last possible place is from the end of the first `least` bytes. */
function skips(terms: readonly Term[], least: number): Uint16Array {
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

function isAt(
  term: Term,
  bytes: Uint8Array,
  { start, to }: { start: number; to: number },
): boolean {
  let at = start
  for (const forms of term) {
    const form = forms.find((each) => hasForm(bytes, at, each))
    if (form === undefined) return false
    at += form.length
  }
  return at <= to
}

function hasForm(bytes: Uint8Array, at: number, form: Uint8Array): boolean {
  for (let each = 0; each < form.length; each++) {
    if (bytes[at + each] !== form[each]) return false
  }
  return true
}
