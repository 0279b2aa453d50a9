import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { deflate } from '../../../src/core/packing/write/deflate.ts'

/** Equal bytes in each run: digests of a counter, reduced to some values. */
function createBytes(length: number, values: number): Buffer {
  const pieces: Buffer[] = []
  for (let size = 0, at = 0; size < length; size += 32, at += 1) {
    pieces.push(hash('sha256', `${values} ${at}`, 'buffer').map((byte) => byte % values) as Buffer)
  }
  return Buffer.concat(pieces).subarray(0, length)
}

describe('deflate', () => {
  it.each([1, 2, 4, 60, 200, 256])('of %i different bytes is read by zlib', async (values) => {
    for (const length of [0, 1, 2, 3, 4, 5, 8, 100, 257, 258, 259, 1000, 33_000, 65_535, 65_536]) {
      const bytes = createBytes(length, values)
      expect(inflateRawSync(await deflate(bytes)).equals(bytes)).toBe(true)
    }
  })

  it('of matches of every length and distance is read by zlib', async () => {
    const noise = createBytes(40_000, 256)
    for (let length = 3; length <= 300; length += 1) {
      const distance = (length * 109) % 32_769
      const bytes = Buffer.concat([
        noise.subarray(0, distance + length),
        noise.subarray(0, length),
        noise.subarray(33_000, 33_000 + length),
      ])
      expect(inflateRawSync(await deflate(bytes)).equals(bytes)).toBe(true)
    }
  })

  it('of a large file is made in steps, and read by zlib', async () => {
    for (const values of [3, 256]) {
      const bytes = createBytes(700_001, values)
      const compressed = await deflate(bytes)
      expect(inflateRawSync(compressed).equals(bytes)).toBe(true)
      // Bytes without a pattern are stored.
      expect(compressed.length).toBeLessThan(bytes.length * 1.001)
    }
  })

  it('makes text shorter', async () => {
    const text = Buffer.from('A skill is a folder with a file SKILL.md.\n'.repeat(50))
    expect((await deflate(text)).length).toBeLessThan(text.length / 10)
  })
})
