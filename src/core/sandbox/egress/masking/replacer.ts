import { Transform } from 'node:stream'

/** A text to find, and what stands in its place afterwards. */
export interface Replacement {
  from: Buffer
  to: Buffer
}

/** Called for each text that is found. It may throw: the text is not passed on then. */
type FoundListener = (replacement: Replacement) => void

/** Replaces texts in bytes that arrive in pieces. Only a possible beginning of one is held back. */
export class Replacer {
  readonly #replacements: readonly Replacement[]
  readonly #longest: number
  readonly #onFound: FoundListener | undefined
  #held = Buffer.alloc(0)

  constructor(replacements: readonly Replacement[], onFound?: FoundListener) {
    this.#replacements = replacements
    this.#longest = Math.max(0, ...replacements.map(({ from }) => from.length))
    this.#onFound = onFound
  }

  push(chunk: Buffer): Buffer[] {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const parts: Buffer[] = []
    const rest = this.#replaceAll(bytes, parts)
    const size = this.#measurePartial(rest)
    if (rest.length > size) parts.push(rest.subarray(0, rest.length - size))
    this.#held = Buffer.from(rest.subarray(rest.length - size))
    return parts
  }

  /** Returns what was held back. */
  end(): Buffer {
    return this.#held
  }

  /** Adds everything up to the end of the last found text, and returns what follows. */
  #replaceAll(bytes: Buffer, parts: Buffer[]): Buffer {
    const next = this.#replacements.map(({ from }) => bytes.indexOf(from))
    let at = 0
    for (;;) {
      const found = findFirst(next)
      const replacement = this.#replacements[found]
      if (!replacement) return bytes.subarray(at)
      const start = next[found] as number
      this.#onFound?.(replacement)
      parts.push(bytes.subarray(at, start), replacement.to)
      at = start + replacement.from.length
      this.#replacements.forEach(({ from }, index) => {
        const place = next[index] as number
        if (place >= 0 && place < at) next[index] = bytes.indexOf(from, at)
      })
    }
  }

  #measurePartial(bytes: Buffer): number {
    for (let size = Math.min(bytes.length, this.#longest - 1); size > 0; size--) {
      const start = bytes.length - size
      const isPartial = this.#replacements.some(
        ({ from }) =>
          from.length > size &&
          from[0] === bytes[start] &&
          from.compare(bytes, start, bytes.length, 0, size) === 0,
      )
      if (isPartial) return size
    }
    return 0
  }
}

/** Index of the smallest place; -1 if nothing was found. */
function findFirst(places: readonly number[]): number {
  let first = -1
  places.forEach((place, index) => {
    if (place >= 0 && (first < 0 || place < (places[first] as number))) first = index
  })
  return first
}

/** Replaces all texts in whole bytes. */
export function replaceBytes(
  bytes: Buffer,
  replacements: readonly Replacement[],
  onFound?: FoundListener,
): Buffer {
  const replacer = new Replacer(replacements, onFound)
  return Buffer.concat([...replacer.push(bytes), replacer.end()])
}

/** Replaces all texts in a stream. What `onFound` throws ends it. */
export function createReplaceStream(
  replacements: readonly Replacement[],
  onFound?: FoundListener,
): Transform {
  const replacer = new Replacer(replacements, onFound)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const parts = replacer.push(chunk)
        // One piece for each that arrived, so that servers and clients get them as they were sent.
        const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts)
        if (whole && whole.length > 0) this.push(whole)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      done(null, replacer.end())
    },
  })
}
