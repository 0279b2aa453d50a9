import type { Span } from './source.ts'

/** Spans of keys and values by their path in a document. */
export class PathSpans {
  readonly #keys = new Map<string, Span>()
  readonly #values = new Map<string, Span>()
  readonly #whole: Span

  constructor(document: Span) {
    this.#whole = document
  }

  /** The first occurrence of a path counts: `[a.b]` after `[a]` does not move `a`. */
  addContainer(path: readonly string[], key: Span, value: Span): void {
    const id = serializePath(path)
    if (!this.#keys.has(id)) this.#keys.set(id, key)
    if (!this.#values.has(id)) this.#values.set(id, value)
  }

  /** Span of a path, or of its nearest ancestor. */
  locate(path: readonly (string | number)[], what: 'key' | 'value' = 'value'): Span {
    const table = what === 'key' ? this.#keys : this.#values
    for (let length = path.length; length > 0; length--) {
      const exact = length === path.length
      const id = serializePath(path.slice(0, length))
      // For an ancestor the key is used: its value may span half the file.
      const span = exact ? table.get(id) : this.#keys.get(id)
      if (span) return span
    }
    return { start: 0, end: Math.min(this.#whole.end, 0) }
  }
}

function serializePath(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String))
}
