import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LineTransport } from '../../src/mcp/stdio/line-transport.ts'
import { splitLines, type Line } from '../../src/mcp/stdio/split-lines.ts'

async function open(maxBytes = 1000) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let text = ''
  stdout.on('data', (chunk) => (text += String(chunk)))
  const transport = new LineTransport({ stdin, stdout, maxBytes })
  const got: object[] = []
  transport.onmessage = (message) => void got.push(message)
  await transport.start()
  const answers = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } })
  return { stdin, stdout, transport, got, answers }
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })

describe('messages as lines', () => {
  it.each([
    ['no JSON', '{"jsonrpc":', -32700, null],
    ['a list', JSON.stringify([ping(1)]), -32600, null],
    ['a number', '7', -32600, null],
    ['another protocol', '{"id":3,"method":"ping"}', -32600, 3],
    ['a method that is none', '{"jsonrpc":"2.0","id":"a","method":5}', -32600, 'a'],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['an id of nothing', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['a list of parameters', '{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', -32600, 4],
    ['a hundred thousand brackets', '['.repeat(900), -32600, null],
    ['a line that is too long', `{"a":"${'x'.repeat(2000)}"}`, -32004, null],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b]), -32700, null],
  ])('are refused when they are %s, and the next one is served', async (_, line, code, id) => {
    const { stdin, got, answers } = await open()
    stdin.write(line)
    stdin.write(`\n\n${JSON.stringify(ping(9))}\r\n`)
    await sleep(20)
    expect(answers()).toEqual([{ jsonrpc: '2.0', id, error: expect.objectContaining({ code }) }])
    expect(got).toEqual([ping(9)])
  })

  it('are cut at line ends alone, wherever the pieces end', () => {
    const lines: Line[] = []
    const splitter = splitLines(10, (line) => lines.push(line))
    for (const byte of Buffer.from('ä\nbc\n\n0123456789ab\nd')) splitter.add(Buffer.from([byte]))
    splitter.end()
    expect(lines).toEqual(['ä', 'bc', undefined, 'd'])
  })

  it('end the connection when nothing is left to be answered', async () => {
    const { stdin, transport, answers } = await open()
    stdin.end(`${JSON.stringify(ping(1))}\n`)
    let isClosed = false
    void transport.closed.then(() => (isClosed = true))
    await sleep(20)
    expect(isClosed).toBe(false)
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    await transport.closed
    expect(answers()).toHaveLength(1)
  })

  it('end it after a while whatever is still under way', async () => {
    const { stdin, transport } = await open()
    stdin.end(`${JSON.stringify(ping(1))}\n`)
    await transport.closed
  })

  it('end it at once where nobody reads the answers', async () => {
    const { stdin, stdout, transport } = await open()
    stdin.write(`${JSON.stringify(ping(1))}\n`)
    await sleep(10)
    stdout.destroy(new Error('EPIPE'))
    await transport.closed
  })
})
