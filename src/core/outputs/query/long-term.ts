/** A search term: for each of its characters the possible forms, in UTF-8. */
export type SearchTerm = readonly (readonly Uint8Array[])[]

/**
 * A term that is compared in a single pass over any text: after a mismatch, the matched prefix
 * tells how much of the term already matches (Knuth, Morris, Pratt). A match has as many characters
 * as the term, but not necessarily as many bytes.
 */
export class LongTerm {
  #term: SearchTerm
  /**
   * For each number of matched characters, the length of the longest proper prefix that is also
   * their suffix.
   */
  #borders: Uint16Array
  /** Bytes of each matched character, as a ring buffer. */
  #sizes: Uint8Array
  /** No match begins before this offset. */
  #firstPossible = 0

  constructor(term: SearchTerm) {
    this.#term = term
    this.#borders = computeBorders(term.map(serializeForms))
    this.#sizes = new Uint8Array(term.length)
  }

  /** Must be called before each text. */
  reset(): void {
    this.#firstPossible = 0
  }

  /** True if an earlier comparison has shown that no match begins at this offset. */
  isRuledOut(offset: number): boolean {
    return offset < this.#firstPossible
  }

  /** True if the term matches at this offset. */
  matchesAt(bytes: Uint8Array, offset: number): boolean {
    const found = this.#findMatch(bytes, offset)
    this.#firstPossible = found
    return found === offset
  }

  /** Offset of the first match, or the offset before which no match begins. */
  #findMatch(bytes: Uint8Array, offset: number): number {
    const { length } = this.#term
    let matched = 0
    let start = offset
    let count = 0
    for (let at = offset; at < bytes.length;) {
      const size = measureFormAt(this.#term[matched] as readonly Uint8Array[], bytes, at)
      if (size > 0) {
        this.#sizes[count % length] = size
        count += 1
        at += size
        matched += 1
        if (matched === length) return start
      } else if (matched === 0) return at + 1
      else {
        const border = this.#borders[matched] as number
        for (let left = matched; left > border; left--) {
          start += this.#sizes[(count - left) % length] as number
        }
        matched = border
      }
    }
    return bytes.length
  }
}

/** Number of bytes at an offset that are one of these forms; 0 if none matches. */
export function measureFormAt(forms: readonly Uint8Array[], bytes: Uint8Array, at: number): number {
  for (const form of forms) if (hasFormAt(bytes, at, form)) return form.length
  return 0
}

function hasFormAt(bytes: Uint8Array, at: number, form: Uint8Array): boolean {
  for (let each = 0; each < form.length; each++) {
    if (bytes[at + each] !== form[each]) return false
  }
  return true
}

/** The same text for characters that are case variants of each other. */
function serializeForms(forms: readonly Uint8Array[]): string {
  return forms
    .map((form) => form.join(','))
    .toSorted()
    .join(' ')
}

function computeBorders(keys: readonly string[]): Uint16Array {
  const borders = new Uint16Array(keys.length + 1)
  for (let at = 1, border = 0; at < keys.length; at++) {
    while (border > 0 && keys[border] !== keys[at]) border = borders[border] as number
    if (keys[border] === keys[at]) border += 1
    borders[at + 1] = border
  }
  return borders
}
