import { createHash } from 'node:crypto'

/** Leaves and inner nodes are hashed with different prefixes, as in RFC 6962. */
const LEAF = Buffer.of(0)
const INNER = Buffer.of(1)

/** A hash tree whose leaves can be added and replaced. A leaf without a neighbour moves up as it is. */
export class MerkleTree {
  #levels: Buffer[][] = [[]]

  get size(): number {
    return this.#levels[0]?.length ?? 0
  }

  /** Hash of all leaves, in hexadecimal. */
  get root(): string {
    return (this.#levels.at(-1)?.[0] ?? hash()).toString('hex')
  }

  /** Replaces a leaf, or adds one after the last. */
  set(index: number, content: string): void {
    const leaves = this.#levels[0] as Buffer[]
    leaves[index] = hash(LEAF, Buffer.from(content))
    let at = index
    for (let level = 0; ; level++) {
      const below = this.#levels[level] as Buffer[]
      if (below.length < 2) return
      at = Math.floor(at / 2)
      const [left, right] = [below[2 * at] as Buffer, below[2 * at + 1]]
      const above = (this.#levels[level + 1] ??= [])
      above[at] = right ? hash(INNER, left, right) : left
    }
  }
}

function hash(...parts: readonly Buffer[]): Buffer {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}
