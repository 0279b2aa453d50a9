import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MerkleTree } from '../../../src/fleet/audit/merkle-tree.ts'

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** The tree of RFC 6962, from its definition. */
function computeRoot(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return sha256(Buffer.of(0), Buffer.from(leaves[0] ?? ''))
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return sha256(Buffer.of(1), computeRoot(leaves.slice(0, half)), computeRoot(leaves.slice(half)))
}

it('the root of a tree is that of RFC 6962, however its leaves were added and replaced', () => {
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.string()), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(changes, (steps) => {
      const tree = new MerkleTree()
      const leaves: string[] = []
      for (const [where, content] of steps) {
        const index = Math.round(where * leaves.length)
        leaves[index] = content
        tree.set(index, content)
        expect(tree.root).toBe(computeRoot(leaves).toString('hex'))
      }
      expect(tree.size).toBe(leaves.length)
    }),
  )
})
