import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import { SECRET_ENCODINGS, type SecretEncoding } from './redact-encodings.ts'

const DOCS = new URL('../../../docs/running.md', import.meta.url)
/** Letters keep the other cases of a secret different from it. */
const secrets = fc
  .string({ minLength: 14, maxLength: 40 })
  .filter((text) => /^[!-~](?:.*[a-z]){3}.*[A-Z].*[!-~]$/.test(text))
const cuts = fc.array(fc.nat(400), { maxLength: 4 })

function redactInChunks(secret: string | undefined, output: Buffer, at: readonly number[]): Buffer {
  const stream = createRedactor(secret === undefined ? [] : [secret]).stream()
  const ends = [
    ...at.map((each) => each % (output.length + 1)).sort((a, b) => a - b),
    output.length,
  ]
  const parts = ends.map((end, index) => stream.push(output.subarray(ends[index - 1] ?? 0, end)))
  return Buffer.concat([...parts, stream.end()])
}

const rows = SECRET_ENCODINGS.map((encoding, at): [string, SecretEncoding] => [
  `${encoding.name} (${at})`,
  encoding,
])

describe('a secret in an encoding that is held', () => {
  it.each(rows.filter(([, { isHeld }]) => isHeld))('is never printed: %s', (_, { encode }) => {
    fc.assert(
      fc.property(secrets, cuts, (secret, at) => {
        const { output, core } = encode(secret)
        const found = redactInChunks(secret, output, at)
        expect(found.includes('[redacted]')).toBe(true)
        expect(found.includes(core)).toBe(false)
        // Control: without the secret, the output is unchanged.
        expect(redactInChunks(undefined, output, at).includes(core)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a secret in an encoding that is not held', () => {
  it.each(rows.filter(([, { isHeld }]) => !isHeld))('is printed: %s', (_, { encode }) => {
    const { output, core } = encode('tokEn-Zq8w7pL9xR2mN4')
    expect(redactInChunks('tokEn-Zq8w7pL9xR2mN4', output, []).includes(core)).toBe(true)
  })
})

describe('other output', () => {
  it('is not changed by short secrets, which are found as they are', () => {
    const log = 'ab cd EF 12:34 \\x61 a\nb %41 &amp; Pass PASS ssap\n'
    const redactor = createRedactor(['pass', 'zq9'])
    expect(redactor.text(log)).toBe(log)
    expect(redactor.text('pass')).toBe('[redacted]')
  })

  it('is returned unchanged in any chunks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), cuts, (text, at) => {
        const output = Buffer.from(text)
        const found = redactInChunks('tokEn-Zq8w7pL9xR2mN4', output, at)
        expect(found.equals(output)).toBe(true)
      }),
    )
  })
})

it('the documentation lists which encodings are held, and which are not', () => {
  const names = (isHeld: boolean) => [
    ...new Set(SECRET_ENCODINGS.filter((each) => each.isHeld === isHeld).map(({ name }) => name)),
  ]
  const text = readFileSync(DOCS, 'utf8')
  const listed = (column: string) =>
    text.split('\n').flatMap((line) => {
      const [, name = '', state = ''] = line.split('|').map((each) => each.trim())
      return state === column ? [name] : []
    })
  expect(listed('redacted')).toEqual(names(true))
  expect(listed('not found')).toEqual(names(false))
})
