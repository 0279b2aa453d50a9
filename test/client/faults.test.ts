import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createClient, type ClientOptions } from '../../src/client/index.ts'
import { startRawServer, sendAnswer, sendJson } from '../helpers/raw-server.ts'

const RESULT = { result: { skills: [], next_cursor: null } }
const busy = (data?: object) => ({ error: { code: -32003, message: 'Too busy', data } })
const RUN = { language: 'python', code: 'def main(args): pass' }
const DONE = {
  result: { status: 'completed', run_id: 'run_1', summary: 'Done', output: 1, output_blobs: [] },
}

/** Returns a port on which no process listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const connect = (url: string, options: Partial<ClientOptions> = {}) =>
  createClient({ url, timeoutMs: 20_000, ...options })

describe('a client', () => {
  it('retries for a while and then reports an unreachable runtime', async () => {
    const client = connect(`http://127.0.0.1:${await freePort()}`, { retries: 1 })
    await expect(client.listSkills()).rejects.toMatchObject({
      name: 'ConnectionError',
      problem: 'unreachable',
      isWorthRetrying: true,
    })
    await expect(client.runCode(RUN)).rejects.toMatchObject({ problem: 'unreachable' })
  })

  it('reaches a runtime that starts a moment later, for runs too', async () => {
    let calls = 0
    const { url, requests } = await startRawServer((request, response) =>
      sendAnswer(request, response, DONE),
    )
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    })
    const client = connect(url, {
      fetch: async (...args) => {
        calls += 1
        if (calls < 3) throw refused
        return await fetch(...args)
      },
    })
    expect(await client.runCode(RUN)).toMatchObject({ output: 1 })
    expect(calls).toBe(3)
    expect(requests).toHaveLength(1)
  })

  it('retries reads, but not runs, when the runtime dies during the call', async () => {
    const { url, requests } = await startRawServer((request, response, attempt) => {
      if (attempt < 3) response.destroy()
      else sendAnswer(request, response, RESULT)
    })
    expect((await connect(url).listSkills()).skills).toEqual([])
    expect(requests).toHaveLength(3)
    const other = await startRawServer((_, response) => void response.destroy())
    for (const call of [
      async () => await connect(other.url).runCode(RUN),
      async () => await connect(other.url).createBlob({ content: 'x', kind: 'text/plain' }),
      async () => await connect(other.url).call('something_else'),
    ]) {
      const before = other.requests.length
      await expect(call()).rejects.toMatchObject({ name: 'ConnectionError', problem: 'broken' })
      expect(other.requests.length - before).toBe(1)
    }
  })

  it('reports a missing response when the event stream breaks', async () => {
    const { url, requests } = await startRawServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('event: state\ndata: {"state":"running"}\n\n')
    })
    const seen: string[] = []
    const running = connect(url).runCode(RUN, { onEvent: ({ type }) => void seen.push(type) })
    await expect(running).rejects.toMatchObject({ problem: 'broken' })
    expect(seen).toEqual(['state'])
    expect(requests).toHaveLength(1)
  })

  it('times out on a slow runtime', async () => {
    const { url, requests } = await startRawServer(() => {})
    const client = connect(url, { timeoutMs: 200, runTimeoutMs: 200 })
    const late = {
      name: 'ConnectionError',
      problem: 'timeout',
      message: 'No response within 200 ms',
    }
    await expect(client.listSkills()).rejects.toMatchObject(late)
    await expect(client.runCode(RUN)).rejects.toMatchObject(late)
    await expect(client.downloadBlob('blob:x')).rejects.toMatchObject(late)
    await expect(client.uploadBlob('x', { kind: 'text/plain' })).rejects.toMatchObject(late)
    expect(requests).toHaveLength(4)
  })

  it('waits for a slow runtime if the timeout allows it', async () => {
    const { url } = await startRawServer((request, response) => {
      setTimeout(() => sendAnswer(request, response, RESULT), 100)
    })
    const client = connect(url, { timeoutMs: Number.POSITIVE_INFINITY })
    expect((await client.listSkills()).skills).toEqual([])
    await expect(client.listSkills({}, { timeoutMs: 0 })).rejects.toThrow(RangeError)
  })

  it('retries reads and runs if a busy runtime reports a delay', async () => {
    const { url, requests } = await startRawServer((request, response, attempt) =>
      attempt % 2 === 1
        ? sendAnswer(request, response, busy({ retry_after_ms: 5 }))
        : sendAnswer(request, response, DONE),
    )
    expect(await connect(url).runCode(RUN)).toMatchObject({ status: 'completed' })
    expect(requests).toHaveLength(2)
    await expect(connect(url, { retries: 0 }).runCode(RUN)).rejects.toMatchObject({
      name: 'ProtocolError',
      code: -32003,
      retryAfterMs: 5,
    })
  })

  it('does not retry if the delay of a busy runtime exceeds the timeout', async () => {
    const { url, requests } = await startRawServer((request, response) =>
      sendAnswer(request, response, busy({ retry_after_ms: 3_600_000 })),
    )
    await expect(connect(url).listSkills()).rejects.toMatchObject({ retryAfterMs: 3_600_000 })
    expect(requests).toHaveLength(1)
  })

  it('does not retry a run after an unrelated error with code -32003', async () => {
    const { url, requests } = await startRawServer((request, response) =>
      sendAnswer(request, response, busy()),
    )
    await expect(connect(url).runCode(RUN)).rejects.toMatchObject({ code: -32003 })
    expect(requests).toHaveLength(1)
  })

  it('retries reads, but not runs, after status 503 from a proxy', async () => {
    const { url, requests } = await startRawServer((request, response, attempt) => {
      if (attempt === 2) return sendAnswer(request, response, RESULT)
      response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Unavailable</h1>')
    })
    expect((await connect(url).listSkills()).skills).toEqual([])
    expect(requests).toHaveLength(2)
    await expect(connect(url).runCode(RUN)).rejects.toMatchObject({
      problem: 'not-a-runtime',
      httpStatus: 503,
    })
    expect(requests).toHaveLength(3)
  })

  it('does not follow a redirect with its token', async () => {
    const other = await startRawServer((request, response) => sendAnswer(request, response, RESULT))
    for (const status of [301, 302, 307, 308]) {
      const { url } = await startRawServer(
        (_, response) => void response.writeHead(status, { location: `${other.url}/rpc` }).end(),
      )
      await expect(connect(url, { token: 'secret' }).listSkills()).rejects.toMatchObject({
        name: 'ConnectionError',
        problem: 'redirect',
        location: `${other.url}/rpc`,
      })
    }
    expect(other.requests).toEqual([])
  })

  it('quotes the response of a server that is not a Skills Runtime', async () => {
    const { url } = await startRawServer(
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<html>\n<p>Hello</html>'),
    )
    const error = { problem: 'not-a-runtime', httpStatus: 200 }
    await expect(connect(url).listSkills()).rejects.toMatchObject({
      ...error,
      message: 'Expected a JSON-RPC response, got HTTP status 200 with "<html> <p>Hello</html>"',
    })
    await expect(connect(url).runCode(RUN)).rejects.toMatchObject(error)
    await expect(connect(url).uploadBlob('x', { kind: 'text/plain' })).rejects.toMatchObject(error)
  })

  it.each([
    ['a response of another version', { jsonrpc: '1.0', id: '1', result: {} }],
    ['a response with another id', { jsonrpc: '2.0', id: 'other', result: {} }],
    ['a response without result and error', { jsonrpc: '2.0', id: '1' }],
    ['an invalid error', { jsonrpc: '2.0', id: '1', error: 'no' }],
    ['an array', []],
    ['null', null],
  ])('rejects %s as a response', async (_, answer) => {
    const { url } = await startRawServer((__, response) => sendJson(response, answer))
    await expect(connect(url).listSkills()).rejects.toMatchObject({ problem: 'not-a-runtime' })
  })

  it('rejects a result that is not an object', async () => {
    const { url } = await startRawServer((request, response) =>
      sendAnswer(request, response, { result: null }),
    )
    await expect(connect(url).listSkills()).rejects.toMatchObject({ problem: 'not-a-runtime' })
    expect(await connect(url).call('custom')).toBeNull()
  })

  it('limits the size of a response', async () => {
    const { url } = await startRawServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more))
      }
      more()
    })
    const client = connect(url, { maxAnswerBytes: 100_000 })
    await expect(client.listSkills()).rejects.toMatchObject({ problem: 'too-large' })
  })

  it('falls back to a plain response if the runtime does not support events', async () => {
    const plain = await startRawServer((request, response) => sendAnswer(request, response, DONE))
    expect(await connect(plain.url).runCode(RUN)).toMatchObject({ output: 1 })
    const strict = await startRawServer((request, response) => {
      if (request.headers.accept === 'application/json') sendAnswer(request, response, DONE)
      else response.writeHead(406).end()
    })
    expect(await connect(strict.url).runCode(RUN)).toMatchObject({ output: 1 })
  })

  it('stops iterating if the runtime repeats a page', async () => {
    const { url } = await startRawServer((request, response) =>
      sendAnswer(request, response, { result: { skills: [{ name: 'a' }], next_cursor: 'again' } }),
    )
    const names: string[] = []
    for await (const { name } of connect(url).skills()) names.push(name)
    expect(names).toEqual(['a', 'a'])
  })
})
