import { foldCase, type SecretPattern } from '../../runs/redaction/secret-matcher.ts'

/** Characters of the shortest piece; shorter ones occur by chance. */
const PIECE = 8
const MIN_FORM = 24
/** Longer forms are encoded twice, or have separators. */
const MAX_FORM = 80
/** Part of a marker that must have left. */
const MIN_SHARE = 0.4

interface Form<Owner> {
  owner: Owner
  length: number
}

/** Finds markers that leave in pieces, each in a message of its own. */
export class MarkerPieces<Owner> {
  readonly #forms: Form<Owner>[] = []
  readonly #places = new Map<string, { form: number; at: number }>()

  /** Adds the forms of a marker: plain, and in the encodings whose text is longer. */
  add(owner: Owner, patterns: readonly SecretPattern[]): void {
    const texts = new Set(patterns.map(({ text }) => foldCase(text)))
    for (const text of texts) {
      if (text.length < MIN_FORM || text.length > MAX_FORM || /[^\w+/=-]/.test(text)) continue
      const form = this.#forms.push({ owner, length: text.length }) - 1
      for (let at = 0; at + PIECE <= text.length; at++) {
        this.#places.set(text.slice(at, at + PIECE), { form, at })
      }
    }
  }

  /** Starts a search whose messages belong together. */
  open(): PieceSearch<Owner> {
    const covered = new Map<number, Uint8Array>()
    return {
      add: (text) => {
        const folded = foldCase(text)
        const found = new Set<Owner>()
        for (let at = 0; at + PIECE <= folded.length; at++) {
          const place = this.#places.get(folded.slice(at, at + PIECE))
          const form = place && this.#forms[place.form]
          if (!place || !form) continue
          const marks = covered.get(place.form) ?? new Uint8Array(form.length)
          covered.set(place.form, marks.fill(1, place.at, place.at + PIECE))
          if (countMarks(marks) >= form.length * MIN_SHARE) found.add(form.owner)
        }
        return [...found]
      },
    }
  }
}

export interface PieceSearch<Owner> {
  /** Adds a message, and returns the markers of which enough has left by now. */
  add(text: string): Owner[]
}

function countMarks(marks: Uint8Array): number {
  return marks.reduce((sum, each) => sum + each, 0)
}
