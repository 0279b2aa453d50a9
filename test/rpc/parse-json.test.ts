import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../../src/rpc/json-limits.ts'
import { parseJson } from '../../src/rpc/parse-json.ts'
import { readJson, readJsonBody } from '../../src/rpc/read-json.ts'

const LIMITS = { maxValues: 100_000 }
const KIB = 1024

function parse(text: string, limits = LIMITS): unknown {
  const steps = parseJson(Buffer.from(text), limits)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The outcome of a parser: its value as JSON, or the code of its error. */
function describeOutcome(read: () => unknown): string {
  try {
    const value = read()
    return JSON.stringify(value, (_, each: unknown) => (Object.is(each, -0) ? '-0' : each))
  } catch (error) {
    return (error as { code: string }).code
  }
}

const ATOMS = ['0', '-0', '1.5e3', '-12', 'true', 'false', 'null', '""', '"a"', '"__proto__"']
const STRINGS = [String.raw`"\u00e9\ud83d\ude00\ud83d"`, String.raw`"\"\\\/\b\n"`, '"é語😀"']
const DAMAGE = [
  '',
  ',',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  'e',
  '-',
  '.',
  '01',
  '\u0000',
  ' ',
  '\t\n',
]

const SPACES = fc.constantFrom('', ' ', '\n\t', '')
const { document: documents } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...ATOMS, ...STRINGS),
    fc
      .tuple(fc.array(tie('document'), { maxLength: 4 }), SPACES)
      .map(([parts, space]) => `[${space}${parts.join(`,${space}`)}]`),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', '1'), tie('document'))),
        SPACES,
      )
      .map(
        ([parts, space]) =>
          `{${parts.map(([key, value]) => `"${key}"${space}:${value}`).join(`${space},`)}}`,
      ),
  ),
}))
const damages = fc.tuple(fc.nat(1000), fc.nat(1), fc.constantFrom(...DAMAGE))

describe('parseJson()', () => {
  it('has the results of JSON.parse for documents of all kinds, also damaged ones', () => {
    let damaged = 0
    fc.assert(
      fc.property(documents, fc.option(damages), (document, damage) => {
        const [at, cut, added] = damage ?? [0, 0, '']
        const start = at % (document.length + 1)
        const changed = document.slice(0, start) + added + document.slice(start + cut)
        // Without lone surrogates, which UTF-8 does not have.
        const text = Buffer.from(changed).toString()
        const expected = describeOutcome(() => readJson(text, LIMITS))
        if (expected === 'rpc/not-json') damaged += 1
        expect(describeOutcome(() => parse(text))).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
    expect(damaged).toBeGreaterThan(200)
  })

  it('reads strings longer than one piece, cut in no character and no escape sequence', () => {
    const units = [
      'x',
      'é',
      '語',
      '😀',
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\ud83d\\ude00',
      '\\\\\\u0041',
    ]
    for (const unit of units) {
      for (let shift = 0; shift < 13; shift++) {
        const text = `["${'y'.repeat(shift)}${unit.repeat(Math.ceil((130 * KIB) / unit.length))}"]`
        expect(parse(text)).toEqual(JSON.parse(text))
      }
    }
    for (const end of ['', '\\', '\\"', '\\u00', '\u0001"', 'é']) {
      const text = `"${'x'.repeat(65 * KIB)}${end}`
      expect(describeOutcome(() => parse(text))).toBe('rpc/not-json')
    }
  })

  it('yields within long strings and white space, and between values', () => {
    const texts = [
      `"${'x'.repeat(KIB ** 2)}"`,
      `"${'\\"'.repeat(KIB ** 2)}"`,
      `${' '.repeat(KIB ** 2)}1`,
      JSON.stringify(Array.from({ length: KIB }, () => ({ a: 1 }))),
    ]
    for (const text of texts) {
      const count = [...parseJson(Buffer.from(text), LIMITS)].length
      expect(count).toBeGreaterThan(8)
    }
  })

  it.each([
    ['values', (count: number) => `[${'1,'.repeat(count - 1)}1]`, 1000],
    ['members', (count: number) => `{${'"a":1,'.repeat(count - 1)}"a":1}`, 1000],
    ['nested values', (count: number) => `[${'[1],'.repeat(count / 2 - 1)}[1]]`, 1000],
    ['empty values', (count: number) => `[${'{},'.repeat(count - 1)}{}]`, 1000],
    ['levels', (count: number) => '['.repeat(count) + ']'.repeat(count), MAX_DEPTH],
    ['digits', (count: number) => '1'.repeat(count).replace('1', '0.').slice(0, count), 1000],
  ])('limits %s, as the parser of small bodies does', (_, make, limit) => {
    const few = { maxValues: 1000 }
    for (const read of [
      (text: string) => parse(text, few),
      (text: string) => readJson(text, few),
    ]) {
      expect(read(make(limit))).toEqual(JSON.parse(make(limit)))
      expect(() => read(make(limit + 2))).toThrow(/at most/)
    }
  })
})

describe('readJsonBody()', () => {
  it('names the limit of values and its setting', async () => {
    for (const count of [11, 100_000]) {
      const body = Buffer.from(JSON.stringify(Array.from({ length: count }, () => 1)))
      await expect(readJsonBody(body, { maxValues: 10 })).rejects.toMatchObject({
        code: 'http/too-large',
        message: 'Expected at most 10 values in a request, got more',
        data: { max_values: 10 },
      })
    }
  })

  it('limits the length of a name', async () => {
    const read = async (bytes: number) =>
      await readJsonBody(Buffer.from(JSON.stringify({ ['x'.repeat(bytes)]: 1 })), LIMITS)
    expect(Object.keys((await read(128 * KIB - 2)) as object)[0]).toHaveLength(128 * KIB - 2)
    await expect(read(128 * KIB)).rejects.toThrow(/in a name/)
  })

  it('reads a string of digits in one pass', async () => {
    const text = JSON.stringify(`${'1'.repeat(149)}a`.repeat(100 * KIB))
    expect(await readJsonBody(Buffer.from(text), LIMITS)).toHaveLength(150 * 100 * KIB)
    expect(readJson(text, LIMITS)).toHaveLength(150 * 100 * KIB)
  })
})
