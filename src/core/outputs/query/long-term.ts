/** One term: for each of its characters the forms that it may have, in UTF-8. */
export type SearchTerm = readonly (readonly Uint8Array[])[]

/**
 * A term that is compared in one pass, whatever the text is made of: what was compared in vain says
 * how much of the term stands there all the same (Knuth, Morris, Pratt). A match has as many
 * characters as the term, but not as many bytes.
 */
export class LongTerm {
  #term: SearchTerm
  /** For so many characters that fit, how many of the first ones stand at their end. */
  #borders: Uint16Array
  /** Bytes of the characters that fit, of which the last ones are kept. */
  #sizes: Uint8Array
  /** No match begins before. */
  #firstPossible = 0

  constructor(term: SearchTerm) {
    this.#term = term
    this.#borders = computeBorders(term.map(serializeForms))
    this.#sizes = new Uint8Array(term.length)
  }

  /** To be called for each text. */
  reset(): void {
    this.#firstPossible = 0
  }

  /** Whether it is known already that no match begins at a place. */
  isRuledOut(offset: number): boolean {
    return offset < this.#firstPossible
  }

  /** Whether it stands at a place. */
  matchesAt(bytes: Uint8Array, offset: number): boolean {
    const found = this.#findMatch(bytes, offset)
    this.#firstPossible = found
    return found === offset
  }

  /** Where it stands, or up to where it does not begin. */
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

/** How many bytes of a place are one of these; none where it is something else. */
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

/** The same for characters that count as the same. */
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
