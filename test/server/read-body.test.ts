import { describe, expect, it } from 'vitest'
import { createBodyLimits, readBody } from '../../src/server/http/read-body.ts'
import type { ServerLimits } from '../../src/server/server-context.ts'

const MIB = 1024 ** 2

async function read(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const closing = new AbortController()
  const request = new Request('http://localhost/', {
    method: 'POST',
    body,
    duplex: 'half',
  })
  const limits = { bodyBytes: 64 * MIB, bodyMs: 60_000 } as ServerLimits
  const bodyLimits = createBodyLimits({ limits, closing: closing.signal })
  return await readBody(request, undefined, { ...bodyLimits, caller: 'test' })
}

describe('readBody()', () => {
  it.each(['é', '語', '😀'])(
    'accepts long text of %s wherever its chunks are cut',
    async (text) => {
      const bytes = Buffer.concat([Buffer.from('x'), Buffer.from(text.repeat(MIB))])
      const chunks = [0, 1, 65_537, MIB + 1].map((start, at, all) =>
        bytes.subarray(start, all[at + 1]),
      )
      expect((await read(chunks)).equals(bytes)).toBe(true)
    },
  )

  it.each([
    { what: 'a lone continuation byte', bytes: [0x80] },
    { what: 'a character without its end', bytes: [0xe8, 0xaa] },
    { what: 'four continuation bytes', bytes: [0x80, 0x80, 0x80, 0x80] },
  ])('refuses $what at every position around the end of a piece', async ({ bytes }) => {
    for (let at = MIB - 5; at <= MIB + 3; at++) {
      const body = Buffer.alloc(2 * MIB, 'x')
      body.set(bytes, at)
      await expect(read([body])).rejects.toThrow('not UTF-8')
    }
  })

  it('refuses a body that ends within a character', async () => {
    const body = Buffer.alloc(2 * MIB, 'x')
    body.set([0xe8, 0xaa], body.length - 2)
    await expect(read([body])).rejects.toThrow('not UTF-8')
  })

  it('returns an empty body', async () => {
    expect((await read([])).length).toBe(0)
  })
})
