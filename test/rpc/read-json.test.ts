import { describe, expect, it } from 'vitest'
import { MAX_DEPTH, readJson } from '../../src/rpc/read-json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('readJson()', () => {
  it('takes as many levels as are allowed, and not one more', () => {
    expect(readJson(nested(MAX_DEPTH))).toBeInstanceOf(Array)
    expect(() => readJson(nested(MAX_DEPTH + 1))).toThrow(/levels of nesting/)
  })

  it('counts objects as levels, and brackets in texts not', () => {
    expect(() => readJson('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toThrow(/levels/)
    expect(readJson(JSON.stringify(nested(500)))).toBe(nested(500))
    expect(readJson(String.raw`["\\", "[[\"[["]`)).toEqual(['\\', '[["[['])
  })

  it('refuses a million levels before anything recurses', () => {
    expect(() => readJson('['.repeat(1_000_000))).toThrow(/levels/)
  })

  it('keeps __proto__ a plain key', () => {
    const value = readJson('{"__proto__": {"polluted": true}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each(['1e999', '[-1e400]', `{"a":[{"b":${'9'.repeat(400)}}]}`])(
    'refuses a number that no double holds: %s',
    (text) => expect(() => readJson(text)).toThrow(/larger than a double/),
  )

  it('lets long numbers stand that are only texts or only long', () => {
    expect(readJson(`"${'9'.repeat(400)}"`)).toBe('9'.repeat(400))
    expect(readJson(`0.${'1'.repeat(400)}`)).toBeCloseTo(0.111)
  })

  it.each(['', '{', '{"a":1}x', 'undefined', "{'a':1}", '\u0000'])(
    'refuses %j as no JSON',
    (text) => {
      expect(() => readJson(text)).toThrow(expect.objectContaining({ code: 'rpc/not-json' }))
    },
  )
})
