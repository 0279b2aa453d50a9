// @module-tag slow
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createClient, type Download } from '../../src/client/index.ts'
import { startTestServer } from '../helpers/server.ts'

async function connect() {
  const server = await startTestServer()
  return { server, client: createClient({ url: `${server.url}/rpc` }) }
}

async function encodeBytes({ stream }: Download): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const content = randomBytes(3 * 1024 ** 2 + 7)
const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
const kind = 'application/octet-stream'

async function* splitIntoChunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000)
}

describe('client.uploadBlob() and downloadBlob()', () => {
  it.each([
    ['bytes', () => content],
    ['a buffer', () => new Uint8Array(content).buffer],
    ['a Blob', () => new Blob([new Uint8Array(content)])],
    ['a stream', () => new Blob([new Uint8Array(content)]).stream()],
    ['an iterable', splitIntoChunks],
  ])('store content from %s and return it unchanged', async (_, source) => {
    const { client } = await connect()
    const stored = await client.uploadBlob(source(), { kind })
    expect(stored).toMatchObject({ kind, size_bytes: content.length, digest })
    expect(await client.blobFacts(stored.blob_id)).toEqual(stored)
    const { stream: _stream, ...facts } = await client.downloadBlob(stored.blob_id)
    expect(facts).toEqual(stored)
    expect((await encodeBytes(await client.downloadBlob(stored.blob_id))).equals(content)).toBe(
      true,
    )
  })

  it('download ranges', async () => {
    const { client } = await connect()
    const { blob_id: id } = await client.uploadBlob('0123456789', { kind: 'text/plain' })
    const part = async (range: { start?: number; end?: number }) =>
      (await encodeBytes(await client.downloadBlob(id, { range }))).toString()
    expect(await part({ start: 2, end: 5 })).toBe('234')
    expect(await part({ start: 7 })).toBe('789')
    expect(await part({ end: 3 })).toBe('012')
    expect(await client.downloadBlob(id, { range: { start: 9 } })).toMatchObject({ size_bytes: 10 })
    await expect(part({ start: 10 })).rejects.toMatchObject({
      name: 'ProtocolError',
      httpStatus: 416,
    })
    await expect(part({ start: 5, end: 5 })).rejects.toThrow(RangeError)
  })

  it('throw a protocol error for an unknown blob', async () => {
    const { client } = await connect()
    const unknown = { name: 'ProtocolError', code: -32602, httpStatus: 404 }
    await expect(client.downloadBlob('blob:none')).rejects.toMatchObject(unknown)
    await expect(client.blobFacts('blob:none')).rejects.toMatchObject(unknown)
  })

  it('stop the transfer when the reader cancels or the call is aborted', async () => {
    const { client } = await connect()
    const { blob_id: id } = await client.uploadBlob(content, { kind })
    const stop = new AbortController()
    const { stream } = await client.downloadBlob(id, { signal: stop.signal })
    const reader = stream.getReader()
    expect((await reader.read()).done).toBe(false)
    stop.abort(new Error('enough'))
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('enough')
    const other = await client.downloadBlob(id)
    await other.stream.cancel()
  })
})
