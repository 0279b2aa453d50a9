import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeJson, writeText, type TextFilter } from '../../src/util/slices/write-json.ts'

function collect(write: (sink: (bytes: Buffer) => void) => Iterable<unknown>) {
  const chunks: Buffer[] = []
  const steps = [...write((bytes) => void chunks.push(bytes))].length
  return { text: Buffer.concat(chunks).toString('utf8'), steps, chunks: chunks.length }
}
const toJson = (value: unknown) => collect((sink) => writeJson(value, sink)).text
const LONG = 200_000

/** Replaces "b" by "[b]", in texts and in streams. */
const filter: TextFilter = {
  value: (value) => (typeof value === 'string' ? value.replaceAll('b', '[b]') : value),
  stream: () => ({
    push: (chunk) => Buffer.from(chunk.toString('latin1').replaceAll('b', '[b]'), 'latin1'),
    end: () => Buffer.from('!'),
  }),
}

describe('writeJson()', () => {
  it('writes the text of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(toJson(value)).toBe(JSON.stringify(value))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    { value: [undefined, () => 1, NaN, -0, Infinity, new Date(0)] },
    { value: { a: undefined, b: () => 1, c: Symbol('c'), d: { toJSON: (key: string) => key } } },
    { value: JSON.parse('{"__proto__":1,"a":[]}') as unknown },
    { value: ['\ud800', '\u2028', '"\\'] },
  ])('writes $value like JSON.stringify', ({ value }) => {
    expect(toJson(value)).toBe(JSON.stringify(value))
  })

  it.each(['x', 'é', '😀', '"', '\n', '\\'])('writes long texts of %j in pieces', (unit) => {
    for (const before of ['', 'y']) {
      const value = { [before + unit.repeat(LONG)]: before + unit.repeat(LONG) }
      const { text, steps, chunks } = collect((sink) => writeJson(value, sink))
      expect(text).toBe(JSON.stringify(value))
      expect(steps).toBeGreaterThan(4)
      expect(chunks).toBeGreaterThan(4)
    }
  })

  it('yields between many values', () => {
    const value = Array.from({ length: 10_000 }, (_, at) => ({ [`key${at}`]: at }))
    const { text, steps } = collect((sink) => writeJson(value, sink))
    expect(text).toBe(JSON.stringify(value))
    expect(steps).toBeGreaterThan(100)
  })

  it('filters keys and values, long ones in pieces of whole characters', () => {
    const { text } = collect((sink) => writeJson({ ab: ['b', 1, 'a'] }, sink, filter))
    expect(text).toBe('{"a[b]":["[b]",1,"a"]}')
    const long = 'xé語😀b'.repeat(LONG / 5)
    const filtered = `${long.replaceAll('b', '[b]')}!`
    expect(collect((sink) => writeJson(long, sink, filter)).text).toBe(JSON.stringify(filtered))
    expect(collect((sink) => writeText(long, sink, filter)).text).toBe(filtered)
    expect(collect((sink) => writeText('abc', sink, filter)).text).toBe('a[b]c')
  })
})
