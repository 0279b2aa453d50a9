import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LineTransport } from '../../src/mcp/stdio/line-transport.ts'
import { createLineSplitter, type Line } from '../../src/mcp/stdio/split-lines.ts'

async function openTransport(maxBytes = 1000) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let text = ''
  stdout.on('data', (chunk) => (text += String(chunk)))
  const transport = new LineTransport({ stdin, stdout, maxBytes, maxValues: 80 })
  const received: object[] = []
  Object.assign(transport, { onmessage: (message: object) => void received.push(message) })
  await transport.start()
  const answers = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } })
  return { stdin, stdout, transport, got: received, answers }
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })

describe('LineTransport', () => {
  it.each([
    { what: 'not JSON', line: '{"jsonrpc":', code: -32700, id: null },
    { what: 'an array', line: JSON.stringify([ping(1)]), code: -32600, id: null },
    { what: 'a number', line: '7', code: -32600, id: null },
    {
      what: 'a message of another protocol',
      line: '{"id":3,"method":"ping"}',
      code: -32600,
      id: 3,
    },
    {
      what: 'a message with an invalid method',
      line: '{"jsonrpc":"2.0","id":"a","method":5}',
      code: -32600,
      id: 'a',
    },
    {
      what: 'a message with an invalid id',
      line: '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      code: -32600,
      id: null,
    },
    {
      what: 'a message with a null id',
      line: '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      code: -32600,
      id: null,
    },
    {
      what: 'a message with an array of parameters',
      line: '{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}',
      code: -32600,
      id: 4,
    },
    { what: 'a hundred thousand brackets', line: '['.repeat(900), code: -32600, id: null },
    { what: 'too many values', line: `[${'1,'.repeat(100)}1]`, code: -32004, id: null },
    {
      what: 'a line that is too long',
      line: `{"a":"${'x'.repeat(2000)}"}`,
      code: -32004,
      id: null,
    },
    {
      what: 'bytes that are not UTF-8',
      line: Buffer.from([0xff, 0xfe, 0x7b]),
      code: -32700,
      id: null,
    },
  ])('rejects a line that is $what and serves the next one', async ({ line, code, id }) => {
    const { stdin, got: received, answers } = await openTransport()
    stdin.write(line)
    stdin.write(`\n\n${JSON.stringify(ping(9))}\r\n`)
    await sleep(20)
    expect(answers()).toEqual([{ jsonrpc: '2.0', id, error: expect.objectContaining({ code }) }])
    expect(received).toEqual([ping(9)])
  })

  it('splits messages at newlines only, for every split of the chunks', () => {
    const lines: Line[] = []
    const splitter = createLineSplitter(
      () => 10,
      (line) => lines.push(line),
    )
    for (const byte of Buffer.from('ä\nbc\n\n0123456789ab\nd')) splitter.add(Buffer.from([byte]))
    splitter.end()
    expect(lines).toEqual(['ä', 'bc', undefined, 'd'])
  })

  it('closes after the last response once the input has ended', async () => {
    const { stdin, transport, answers } = await openTransport()
    stdin.end(`${JSON.stringify(ping(1))}\n`)
    let isClosed = false
    void transport.closed.then(() => (isClosed = true))
    await sleep(20)
    expect(isClosed).toBe(false)
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    await transport.closed
    expect(answers()).toHaveLength(1)
  })

  it('closes after the grace period even if requests are running', async () => {
    const { stdin, transport } = await openTransport()
    stdin.end(`${JSON.stringify(ping(1))}\n`)
    await transport.closed
  })

  it('closes at once if stdout is closed', async () => {
    const { stdin, stdout, transport } = await openTransport()
    stdin.write(`${JSON.stringify(ping(1))}\n`)
    await sleep(10)
    stdout.destroy(new Error('EPIPE'))
    await transport.closed
  })
})
