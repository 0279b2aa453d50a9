import { describe, expect, it } from 'vitest'
import { readServerSent, type ServerSentEvent } from '../../src/client/server-sent.ts'

async function read(text: string, cut: number): Promise<ServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut)
  }
  const events: ServerSentEvent[] = []
  for await (const event of readServerSent(chunks(), 1000)) events.push(event)
  return events
}

describe('readServerSent()', () => {
  const text =
    ': a remark\n\nid: 7\nevent: log\ndata: {"text":"grün"}\n\ndata:one\r\ndata: two\r\n\r\rdata\r\rdata: cut'
  const expected = [
    { id: '7', name: 'log', data: '{"text":"grün"}' },
    { id: undefined, name: 'message', data: 'one\ntwo' },
    { id: undefined, name: 'message', data: '' },
  ]
  it.each([1, 2, 3, 5, 8, 1000])('parses events that arrive in chunks of %i bytes', async (cut) => {
    expect(await read(text, cut)).toEqual(expected)
  })

  it('throws if a line exceeds the limit', async () => {
    await expect(read(`data: ${'x'.repeat(2000)}`, 100)).rejects.toMatchObject({
      problem: 'too-large',
    })
  })
})
