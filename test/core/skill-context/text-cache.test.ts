import { describe, expect, it } from 'vitest'
import { TextCache } from '../../../src/core/skill-context/text-cache.ts'

const createText = (doc: string | null, digest: string, size = 10) => ({
  doc,
  digest,
  text: digest.padEnd(size, '.'),
})
const createPart = (doc: string | null, digest: string) => ({ skill: 's', doc, digest, call: null })

describe('TextCache', () => {
  it('finds a text only by its skill, document and digest', () => {
    const cache = new TextCache()
    cache.add('s', [createText(null, 'a'), createText('U.md', 'b')])
    expect(cache.get(createPart(null, 'a'))).toEqual(createText(null, 'a'))
    expect(cache.get(createPart('U.md', 'b'))).toEqual(createText('U.md', 'b'))
    expect(cache.get(createPart(null, 'b'))).toBeUndefined()
    expect(cache.get({ ...createPart(null, 'a'), skill: 't' })).toBeUndefined()
  })

  it('evicts the least recently used texts beyond its size', () => {
    const cache = new TextCache(30)
    cache.add('s', [createText('1', 'a'), createText('2', 'b'), createText('3', 'c')])
    cache.get(createPart('1', 'a'))
    cache.add('s', [createText('3', 'c'), createText('4', 'd')])
    const found = ['1a', '2b', '3c', '4d'].map(
      ([doc = '', digest = '']) => cache.get(createPart(doc, digest)) !== undefined,
    )
    expect(found).toEqual([true, false, true, true])
    cache.add('s', [createText('5', 'e', 31)])
    expect(cache.get(createPart('5', 'e'))).toBeUndefined()
  })
})
