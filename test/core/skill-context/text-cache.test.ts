import { describe, expect, it } from 'vitest'
import { TextCache } from '../../../src/core/skill-context/text-cache.ts'

const text = (doc: string | null, digest: string, size = 10) => ({
  doc,
  digest,
  text: digest.padEnd(size, '.'),
})
const part = (doc: string | null, digest: string) => ({ skill: 's', doc, digest, call: null })

describe('TextCache', () => {
  it('finds a text only by its skill, document and digest', () => {
    const known = new TextCache()
    known.add('s', [text(null, 'a'), text('U.md', 'b')])
    expect(known.get(part(null, 'a'))).toEqual(text(null, 'a'))
    expect(known.get(part('U.md', 'b'))).toEqual(text('U.md', 'b'))
    expect(known.get(part(null, 'b'))).toBeUndefined()
    expect(known.get({ ...part(null, 'a'), skill: 't' })).toBeUndefined()
  })

  it('evicts the least recently used texts beyond its size', () => {
    const known = new TextCache(30)
    known.add('s', [text('1', 'a'), text('2', 'b'), text('3', 'c')])
    known.get(part('1', 'a'))
    known.add('s', [text('3', 'c'), text('4', 'd')])
    const found = ['1a', '2b', '3c', '4d'].map(
      ([doc = '', digest = '']) => known.get(part(doc, digest)) !== undefined,
    )
    expect(found).toEqual([true, false, true, true])
    known.add('s', [text('5', 'e', 31)])
    expect(known.get(part('5', 'e'))).toBeUndefined()
  })
})
