// The blobs of this run. The harness derives their ids from a secret of the run, as the host does.
import { createHash } from 'node:crypto'
import { request, send, sendJson } from './channel.mjs'
import { job } from './job.mjs'

let secret = Buffer.from(job.blob_secret, 'hex')
const MIME_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:;[ \w.+=-]{1,64})?$/
const CHUNK = 256 * 1024

const drafts = new Map()

/** Begins the blobs of another run in this process. */
export function useSecret(bytes) {
  secret = bytes
  drafts.clear()
}

/** Returns a complete blob of this run. */
export function findDraft(name) {
  const draft = drafts.get(name)
  return draft?.size === undefined ? undefined : draft
}

/** Begins a blob. It is stored only if it is ended. */
export function beginBlob(kind, isOutput = false) {
  if (typeof kind !== 'string' || !MIME_TYPE.test(kind)) {
    throw new TypeError(`Expected a MIME type such as text/csv for kind, got ${String(kind)}`)
  }
  const index = drafts.size
  const number = Buffer.alloc(4)
  number.writeUInt32BE(index)
  const name = createHash('sha256').update(secret).update(number).digest('hex').slice(0, 32)
  const draft = { number, size: undefined }
  drafts.set(name, draft)
  sendJson('B', { number: index, kind, output: isOutput })
  let size = 0
  return {
    id: `blob:${name}`,
    write(content) {
      for (let start = 0; start < content.length; start += CHUNK) {
        send('C', number, content.subarray(start, start + CHUNK))
      }
      size += content.length
    },
    end() {
      send('E', number)
      draft.size = size
    },
    abort() {
      send('A', number)
    },
  }
}

/** Stores chunks of bytes as a new blob and returns its id. */
export function storeBlob(kind, chunks, isOutput = false) {
  const writer = beginBlob(kind, isOutput)
  try {
    for (const chunk of chunks) writer.write(chunk)
  } catch (error) {
    writer.abort()
    throw error
  }
  writer.end()
  return writer.id
}

/** Reads a blob of this run back from the host, in chunks. */
export function* readChunks({ number, size }) {
  for (let at = 0; at < size;) {
    const range = Buffer.alloc(12)
    range.writeBigUInt64BE(BigInt(at))
    const length = Math.min(CHUNK, size - at)
    range.writeUInt32BE(length, 8)
    const chunk = request('G', number, range)
    if (chunk.length !== length) throw new Error('The runtime could not read the blob back')
    yield chunk
    at += chunk.length
  }
}
