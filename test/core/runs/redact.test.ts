import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'

const secret = fc.string({ minLength: 8, maxLength: 40 }).filter((text) => text.trim().length >= 8)

describe('a secret', () => {
  it('is found in base64 at every offset of a longer text', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const text = Buffer.from(`${before}${value}${after}`).toString('base64')
        const clean = createRedactor([value]).text(text)
        expect(clean).not.toBe(text)
        expect(clean).toContain('[redacted]')
      }),
    )
  })

  it('is found in a stream, wherever it is split', () => {
    fc.assert(
      fc.property(secret, fc.nat(60), fc.nat(60), (value, first, second) => {
        const stream = createRedactor([value]).stream()
        const bytes = Buffer.from(`before ${value} after`)
        const cuts = [first, second].map((at) => at % bytes.length).sort((a, b) => a - b)
        const parts = [
          bytes.subarray(0, cuts[0]),
          bytes.subarray(cuts[0], cuts[1]),
          bytes.subarray(cuts[1]),
        ]
        const all = Buffer.concat([...parts.map((part) => stream.push(part)), stream.end()])
        expect(all.toString()).not.toContain(value)
        expect(all.toString()).toContain('[redacted]')
      }),
    )
  })

  it('is found in keys, texts and hexadecimal, and nothing else is changed', () => {
    const redactor = createRedactor(['pässwörd'])
    const hex = Buffer.from('pässwörd').toString('hex')
    expect(redactor.value({ pässwörd: [1, `x${hex}y`, null, 'kept ü'] })).toEqual({
      '[redacted]': [1, 'x[redacted]y', null, 'kept ü'],
    })
  })
})
