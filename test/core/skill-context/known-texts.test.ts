import { describe, expect, it } from 'vitest'
import { KnownTexts } from '../../../src/core/skill-context/known-texts.ts'

const text = (doc: string | null, digest: string, size = 10) => ({
  doc,
  digest,
  text: digest.padEnd(size, '.'),
})
const part = (doc: string | null, digest: string) => ({ skill: 's', doc, digest, call: null })

describe('KnownTexts', () => {
  it('finds a text by all that names it', () => {
    const known = new KnownTexts()
    known.keep('s', [text(null, 'a'), text('U.md', 'b')])
    expect(known.find(part(null, 'a'))).toEqual(text(null, 'a'))
    expect(known.find(part('U.md', 'b'))).toEqual(text('U.md', 'b'))
    expect(known.find(part(null, 'b'))).toBeUndefined()
    expect(known.find({ ...part(null, 'a'), skill: 't' })).toBeUndefined()
  })

  it('lets go of what was used longest ago where it is too much', () => {
    const known = new KnownTexts(30)
    known.keep('s', [text('1', 'a'), text('2', 'b'), text('3', 'c')])
    known.find(part('1', 'a'))
    known.keep('s', [text('3', 'c'), text('4', 'd')])
    const found = ['1a', '2b', '3c', '4d'].map(
      ([doc = '', digest = '']) => known.find(part(doc, digest)) !== undefined,
    )
    expect(found).toEqual([true, false, true, true])
    known.keep('s', [text('5', 'e', 31)])
    expect(known.find(part('5', 'e'))).toBeUndefined()
  })
})
