import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readClientHello } from '../../../../src/core/sandbox/egress/client-hello.ts'

/** A complete hello of `a.example` in one record. */
function buildHello(): Buffer {
  const name = Buffer.from('a.example')
  const entry = Buffer.concat([Buffer.from([0, 0, name.length]), name])
  const list = Buffer.concat([Buffer.from([0, entry.length]), entry])
  const extensions = Buffer.concat([Buffer.from([0, 0, 0, list.length]), list])
  const fixed = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32)])
  const body = Buffer.concat([
    fixed,
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0, 0, extensions.length]),
    extensions,
  ])
  const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body])
  return Buffer.concat([Buffer.from([0x16, 3, 1, 0, message.length]), message])
}

describe('readClientHello()', () => {
  it('reads the server name of a complete message', () => {
    expect(readClientHello(buildHello())).toEqual({ kind: 'tls', serverName: 'a.example' })
  })

  it('gives the same result if records of early data have already arrived', () => {
    const earlyData = Buffer.from([0x14, 3, 3, 0, 1, 1, 0x17, 3, 3, 0, 2, 9, 9])
    const bytes = Buffer.concat([buildHello(), earlyData])
    expect(readClientHello(bytes)).toEqual(readClientHello(buildHello()))
  })

  it('rejects another record before the message is complete', () => {
    const hello = buildHello()
    const cut = Buffer.from(hello.subarray(0, 20))
    cut.writeUInt16BE(15, 3)
    expect(readClientHello(cut).kind).toBe('more')
    expect(readClientHello(Buffer.concat([cut, Buffer.from([0x17, 3, 3, 0, 1, 9])])).kind).toBe(
      'other',
    )
  })

  it('decides on the input that fuzzing found as on its beginning', () => {
    const bytes = readFileSync('test/fuzz/corpus/egress-hello/regression-record-after-hello')
    expect(readClientHello(bytes).kind).toBe('tls')
  })
})
