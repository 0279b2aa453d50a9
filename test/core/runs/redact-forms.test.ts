import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'

const SECRET = 'tok/en+Zq8~w"é&7=pL9 xR2mN4vB6'
const redactor = createRedactor([SECRET])

describe('a truncated text', () => {
  it.each([
    ['at its end', `kept ${SECRET.slice(0, 8)}`],
    ['at its end, with a mark', `kept ${SECRET.slice(0, 8)} …`],
    ['before its middle', `kept ${SECRET.slice(0, 9)}\n…\nkept`],
    ['behind its middle', `kept\n…\n${SECRET.slice(-9)} kept`],
  ])('has no piece of a secret %s', (_, text) => {
    expect(redactor.cutText(text)).toContain('[redacted]')
    expect(redactor.cutText(text)).toContain('kept')
    expect(redactor.text(text)).toBe(text)
  })

  it('keeps a text that only begins like a secret', () => {
    for (const text of ['a tok', 'tok …', 'x\n…\nB6 y', ''])
      expect(redactor.cutText(text)).toBe(text)
  })
})

describe('a stream that ends within a secret', () => {
  it.each([
    [SECRET.slice(0, 12), '[redacted]'],
    [SECRET.slice(0, 4), SECRET.slice(0, 4)],
  ])('shows %j as %j', (input, shown) => {
    const stream = redactor.stream()
    expect(Buffer.concat([stream.push(Buffer.from(input)), stream.end()]).toString()).toBe(shown)
  })
})

it('a redactor finds base64 that is wrapped into lines, at any chunk boundary', () => {
  const text = Buffer.from(`${'x'.repeat(42)}${SECRET}`).toString('base64')
  const wrapped = Buffer.from(text.replace(/.{76}/g, '$&\n'))
  for (let at = 0; at <= wrapped.length; at++) {
    const stream = redactor.stream()
    const parts = [wrapped.subarray(0, at), wrapped.subarray(at)].map((part) => stream.push(part))
    const output = Buffer.concat([...parts, stream.end()]).toString()
    expect(output).toContain('[redacted]')
    expect(output).not.toContain(text.slice(64, 74))
  }
})

it('a redactor hides a number that is a secret, and no other', () => {
  expect(createRedactor(['730164428915']).value({ pin: 730164428915, n: 7301 })).toEqual({
    pin: '[redacted]',
    n: 7301,
  })
})

it('a redactor takes linear time for a secret of many lines', () => {
  const line = (n: number) => `${n}`.padStart(3, '0').repeat(21)
  const key = Array.from({ length: 50 }, (_, n) => line(n)).join('\n')
  const stream = createRedactor([key]).stream()
  const chunk = Buffer.from('a line of a log that says nothing much at all, 0123\n'.repeat(1200))
  for (let n = 0; n < 40; n++) expect(stream.push(chunk).length).toBeGreaterThan(60_000)
})
