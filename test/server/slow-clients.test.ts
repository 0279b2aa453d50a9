// @module-tag slow
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { writeBlob } from '../../src/core/storage/write-blob.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const BRIEF = { bodyMs: 500 }

/**
 * Sends text and returns what is received until the server closes the connection. With `read`
 * false, receives nothing.
 */
async function send(server: TestServer, text: string, read = true): Promise<string> {
  const { port } = new URL(server.url)
  return await new Promise((resolve) => {
    const socket: Socket = connect(Number(port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += String(chunk)))
    if (!read) socket.pause()
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(text)
    // A client that does not read notices the end only when it writes.
    if (!read) setInterval(() => socket.write(' '), 100).unref()
  })
}

describe('a slow client', () => {
  it('with incomplete headers is disconnected', async () => {
    const server = await startTestServer(BRIEF)
    expect(await send(server, 'POST /rpc HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(
      /^HTTP\/1\.1 408/,
    )
  })

  it('with an incomplete body gets an error and is disconnected', async () => {
    const server = await startTestServer(BRIEF)
    const head = 'POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    expect(await send(server, `${head}Content-Length: 100\r\n\r\n{"json`)).toMatch(
      /^HTTP\/1\.1 408/,
    )
    expect(await send(server, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"jso\r\n`)).toMatch(
      /^HTTP\/1\.1 408/,
    )
  })

  it('that never reads its response is disconnected', async () => {
    const server = await startTestServer(BRIEF)
    const store = await server.runtime.blobs()
    const { id } = await writeBlob(store, [Buffer.alloc(64 * 1024 ** 2)], 'text/plain')
    const { id: text } = await writeBlob(store, [Buffer.alloc(1024 ** 2, 'x')], 'text/plain')
    const read = {
      jsonrpc: '2.0',
      id: 1,
      method: 'read_blob',
      params: { blob_id: text, mode: 'full' },
    }
    const body = JSON.stringify(Array.from({ length: 40 }, () => read))
    await send(server, `GET /blobs/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`, false)
    await send(
      server,
      `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      false,
    )
  })
})
