import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRange } from '../../src/server/blobs/blob-routes.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data)

async function put(
  server: TestServer,
  body: string | Buffer,
  headers: Record<string, string> = {},
) {
  return await server.fetch('/blobs', { method: 'PUT', body, headers })
}

async function listStored(server: TestServer, body: string, kind = 'text/csv'): Promise<string> {
  const response = await put(server, body, { 'content-type': kind })
  return ((await response.json()) as { blob_id: string }).blob_id
}

describe('PUT /blobs', () => {
  it('stores a body and returns its id, size and digest', async () => {
    const server = await startTestServer()
    const response = await put(server, 'a,b\n1,2\n', { 'content-type': 'text/csv' })
    expect(response.status).toBe(201)
    const body = (await response.json()) as Record<string, unknown>
    expect(body).toMatchObject({ size_bytes: 8, kind: 'text/csv' })
    expect(body['digest']).toBe(`sha256:${sha256('a,b\n1,2\n').digest('hex')}`)
    expect(response.headers.get('location')).toBe(`/blobs/${String(body['blob_id'])}`)
    expect(response.headers.get('repr-digest')).toBe(
      `sha-256=:${sha256('a,b\n1,2\n').digest('base64')}:`,
    )
    expect(await server.result('read_blob', { blob_id: body['blob_id'] })).toMatchObject({
      content: 'a,b\n1,2\n',
    })
  })

  it('stores nothing if the digest differs', async () => {
    const server = await startTestServer()
    const wrong = `sha-256=:${sha256('other').digest('base64')}:`
    expect((await put(server, 'mine', { 'repr-digest': wrong })).status).toBe(400)
    expect((await put(server, 'mine', { 'repr-digest': 'md5=:x:' })).status).toBe(400)
    const right = `sha-256=:${sha256('mine').digest('base64')}:`
    expect((await put(server, 'mine', { 'repr-digest': right })).status).toBe(201)
    expect((await (await server.runtime.blobs()).list()).total).toBe(1)
  })

  it('returns 413 for a body over the limit, with or without Content-Length, and stores nothing', async () => {
    const server = await startTestServer({ settings: { 'store.quota': '2KiB' } })
    expect((await put(server, 'x'.repeat(2000))).status).toBe(413)
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(2000))
        controller.close()
      },
    })
    const init = { method: 'PUT', body: stream, duplex: 'half' } as RequestInit
    expect((await server.fetch('/blobs', init)).status).toBe(413)
    expect((await (await server.runtime.blobs()).list()).total).toBe(0)
  })

  it('rejects an invalid MIME type and other HTTP methods', async () => {
    const server = await startTestServer()
    expect((await put(server, 'x', { 'content-type': 'nonsense' })).status).toBe(400)
    const post = await server.fetch('/blobs', { method: 'POST', body: 'x' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'PUT'])
    const remove = await server.fetch('/blobs/blob:x', { method: 'DELETE' })
    expect([remove.status, remove.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('times out on a stalled body and discards an incomplete one', async () => {
    const server = await startTestServer({ bodyMs: 200 })
    const { port } = new URL(server.url)
    const send = async (cut: boolean) =>
      await new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1')
        let text = ''
        socket.on('data', (chunk) => (text += String(chunk)))
        socket.on('close', () => resolve(text))
        socket.on('error', () => {})
        socket.write('PUT /blobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf')
        if (cut) setTimeout(() => socket.destroy(), 50)
      })
    expect(await send(false)).toMatch(/^HTTP\/1\.1 408/)
    await send(true)
    expect((await (await server.runtime.blobs()).list()).total).toBe(0)
  })
})

describe('GET /blobs/<id>', () => {
  it('returns the bytes with type, length, entity tag and digest', async () => {
    const server = await startTestServer()
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
    const response = await put(server, bytes, { 'content-type': 'application/x-thing' })
    const { blob_id: id } = (await response.json()) as { blob_id: string }
    for (const path of [
      `/blobs/${id}`,
      `/blobs/${encodeURIComponent(id)}`,
      `/blobs/${id.slice(5)}`,
    ]) {
      const received = await server.fetch(path)
      expect(received.status).toBe(200)
      expect(Buffer.from(await received.arrayBuffer()).equals(bytes)).toBe(true)
      expect(received.headers.get('content-type')).toBe('application/x-thing')
      expect(received.headers.get('etag')).toBe(`"${sha256(bytes).digest('hex')}"`)
    }
    const head = await server.fetch(`/blobs/${id}`, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('300000')
    expect(head.headers.get('accept-ranges')).toBe('bytes')
    expect(await head.text()).toBe('')
  })

  it('returns a range and rejects one after the end', async () => {
    const server = await startTestServer()
    const path = `/blobs/${await listStored(server, '0123456789')}`
    const get = async (range: string, more = {}) => {
      const response = await server.fetch(path, { headers: { range, ...more } })
      return [response.status, response.headers.get('content-range'), await response.text()]
    }
    expect(await get('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await get('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=5-999')).toEqual([206, 'bytes 5-9/10', '56789'])
    expect((await get('bytes=10-'))[0]).toBe(416)
    expect((await get('bytes=10-'))[1]).toBe('bytes */10')
    expect((await get('bytes=1-2,4-5'))[0]).toBe(200)
    expect((await get('lines=1-2'))[0]).toBe(200)
    expect((await get('bytes=2-4', { 'if-range': '"another"' }))[0]).toBe(200)
  })

  it('returns 304 for a matching entity tag and 404 for an unknown blob', async () => {
    const server = await startTestServer()
    const path = `/blobs/${await listStored(server, 'x')}`
    const etag = (await server.fetch(path)).headers.get('etag') ?? ''
    expect((await server.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    for (const id of ['blob:00000000000000000000000000000000', 'x', '..%2f..%2fetc%2fpasswd']) {
      expect((await server.fetch(`/blobs/${id}`)).status).toBe(404)
    }
  })

  it('prevents browsers from running a blob as a page of this server', async () => {
    const server = await startTestServer()
    const { headers } = await server.fetch(
      `/blobs/${await listStored(server, '<script>', 'text/html')}`,
    )
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toBe('attachment')
  })

  it('returns an empty blob', async () => {
    const server = await startTestServer()
    const response = await server.fetch(`/blobs/${await listStored(server, '')}`)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('readRange()', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=-100', { start: 0, end: 10 }],
    ['bytes=3-2', undefined],
    [`bytes=4-${'9'.repeat(400)}`, { start: 4, end: 10 }],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    [undefined, undefined],
  ])('parses %s', (header, range) => expect(readRange(header, 10)).toEqual(range))

  it.each(['bytes=-0', 'bytes=10-20', `bytes=${'9'.repeat(30)}-`])('rejects %s', (header) => {
    expect(() => readRange(header, 10)).toThrow(/begins after its end/)
  })
})

describe('a damaged blob', () => {
  it('is refused as a download, as a range, by read_blob and by a run', async () => {
    const server = await startTestServer()
    const id = await listStored(server, 'a,b\n1,2\n')
    const { data } = server.runtime.config.directories
    const content = join(data, 'blobs', id.slice('blob:'.length), 'content')
    writeFileSync(content, 'a,b\n1,3\n', { flag: 'r+' })
    for (const headers of [{}, { range: 'bytes=0-1' }]) {
      const response = await server.fetch(`/blobs/${id}`, { headers })
      expect(response.status).toBe(500)
      const text = await response.text()
      expect(text).toContain('blob/damaged')
      expect(text).not.toContain('a,b')
    }
    await expect(server.result('read_blob', { blob_id: id })).rejects.toThrow('damaged')
    const params = { code: 'def main(args): return 1', language: 'python', input_blobs: [id] }
    await expect(server.result('run_code', params)).rejects.toThrow('damaged')
  })
})
