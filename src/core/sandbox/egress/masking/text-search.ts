/** A text to find, and what stands in its place afterwards. */
export interface Replacement {
  from: Buffer
  to: Buffer
}

/** A text at its place in bytes. */
interface FoundText {
  start: number
  replacement: Replacement
}

const PAIRS = 4096
/** Skips are stored in bytes. */
const MAX_SKIP = 255

/**
 * Finds several texts at once (Wu and Manber): the last two bytes of a window as long as the shortest
 * text tell how far the window can move, so that most bytes are never read.
 */
export class TextSearch {
  readonly replacements: readonly Replacement[]
  readonly #window: number
  readonly #longest: number
  readonly #skips: Uint8Array
  /** 1 for each byte that begins a text. */
  readonly #firstBytes = new Uint8Array(256)

  /** If two texts begin at one place, the earlier in the list is found. */
  constructor(replacements: readonly Replacement[]) {
    this.replacements = replacements
    const lengths = replacements.map(({ from }) => from.length)
    this.#window = Math.min(MAX_SKIP + 1, ...lengths)
    this.#longest = Math.max(0, ...lengths)
    this.#skips = new Uint8Array(PAIRS).fill(this.#window - 1)
    for (const { from } of replacements) {
      this.#firstBytes[from[0] as number] = 1
      for (let at = 1; at < this.#window; at++) {
        const pair = hashPair(from, at)
        this.#skips[pair] = Math.min(this.#skips[pair] as number, this.#window - 1 - at)
      }
    }
  }

  /** The first text that begins at a place or after it. */
  find(bytes: Buffer, from: number): FoundText | undefined {
    for (let end = from + this.#window - 1; end < bytes.length;) {
      const skip = this.#skips[hashPair(bytes, end)] as number
      const start = end - this.#window + 1
      if (skip === 0 && this.#firstBytes[bytes[start] as number] === 1) {
        const replacement = this.replacements.find((each) => beginsAt(bytes, start, each.from))
        if (replacement) return { start, replacement }
      }
      end += skip || 1
    }
    return undefined
  }

  /** The number of bytes at the end that may begin a text. */
  measurePartial(bytes: Buffer): number {
    for (let size = Math.min(bytes.length, this.#longest - 1); size > 0; size--) {
      const start = bytes.length - size
      if (this.#firstBytes[bytes[start] as number] === 0) continue
      const rest = bytes.subarray(start)
      if (this.replacements.some(({ from }) => from.length > size && beginsAt(from, 0, rest)))
        return size
    }
    return 0
  }
}

function hashPair(bytes: Uint8Array, at: number): number {
  return ((bytes[at - 1] as number) << 4) ^ (bytes[at] as number)
}

function beginsAt(bytes: Buffer, start: number, text: Buffer): boolean {
  const end = start + text.length
  return bytes[start] === text[0] && end <= bytes.length && text.compare(bytes, start, end) === 0
}
