import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../../src/rpc/json-limits.ts'
import { readJson as readJsonText } from '../../src/rpc/read-json.ts'

const readJson = (text: string) => readJsonText(text, { maxValues: 1000 })

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('readJson()', () => {
  it('accepts nesting up to the limit', () => {
    expect(readJson(nested(MAX_DEPTH))).toBeInstanceOf(Array)
    expect(() => readJson(nested(MAX_DEPTH + 1))).toThrow(/levels of nesting/)
  })

  it('counts objects as levels, but no brackets in strings', () => {
    expect(() => readJson('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toThrow(/levels/)
    expect(readJson(JSON.stringify(nested(500)))).toBe(nested(500))
    expect(readJson(String.raw`["\\", "[[\"[["]`)).toEqual(['\\', '[["[['])
  })

  it('rejects a million levels before it recurses', () => {
    expect(() => readJson('['.repeat(1_000_000))).toThrow(/levels/)
  })

  it('keeps __proto__ as a plain key', () => {
    const value = readJson('{"__proto__": {"polluted": true}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each(['1e999', '[-1e400]', `{"a":[{"b":${'9'.repeat(400)}}]}`])(
    'rejects a number that overflows a double: %s',
    (text) => expect(() => readJson(text)).toThrow(/larger than a double/),
  )

  it('accepts long digits in strings and long numbers without overflow', () => {
    expect(readJson(`"${'9'.repeat(400)}"`)).toBe('9'.repeat(400))
    expect(readJson(`0.${'1'.repeat(400)}`)).toBeCloseTo(0.111)
  })

  it.each(['', '{', '{"a":1}x', 'undefined', "{'a':1}", '\u0000'])(
    'rejects %j as invalid JSON',
    (text) => {
      expect(() => readJson(text)).toThrow(expect.objectContaining({ code: 'rpc/not-json' }))
    },
  )
})
