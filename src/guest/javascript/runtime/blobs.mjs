// Large values by handle: reads blobs that were passed to this run or created by it, and writes new
// ones.
import {
  closeSync,
  createReadStream,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { beginBlob, findDraft, readChunks, storeBlob } from './drafts.mjs'
import { job } from './job.mjs'

const ID = /^(?:blob:)?([0-9a-f]{32})$/
const CHUNK = 256 * 1024

/** Returns a read-only file with the content of a blob. */
export function path(blobId) {
  const { file, draft } = findBlob(blobId)
  if (draft === undefined) return file
  let fd
  try {
    fd = openSync(file, 'wx')
    for (const piece of readChunks(draft)) writeSync(fd, piece)
  } catch (error) {
    if (fd !== undefined) unlinkSync(file)
    throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
  return file
}

/** Returns the content of a blob as a Buffer. */
export function readBytes(blobId) {
  const { file, draft } = findBlob(blobId)
  return draft === undefined ? readFileSync(file) : Buffer.concat([...readChunks(draft)])
}

/** Returns the content of a blob as text (UTF-8). */
export function readText(blobId) {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readBytes(blobId))
}

/** Returns the content of a blob, parsed as JSON. */
export function readJson(blobId) {
  return JSON.parse(readText(blobId))
}

/** Returns the content of a blob as a stream. */
export function openRead(blobId) {
  const { file, draft } = findBlob(blobId)
  return draft === undefined ? createReadStream(file) : Readable.from(readChunks(draft))
}

/** Stores bytes as a new blob and returns its id. */
export function writeBytes(content, kind = 'application/octet-stream') {
  if (!ArrayBuffer.isView(content) && !(content instanceof ArrayBuffer)) {
    throw new TypeError(`Expected bytes, got ${typeof content}`)
  }
  return storeBlob(kind, [toBuffer(content)])
}

/** Stores a string (UTF-8) as a new blob and returns its id. */
export function writeText(content, kind = 'text/plain') {
  if (typeof content !== 'string') throw new TypeError(`Expected a string, got ${typeof content}`)
  return storeBlob(kind, [Buffer.from(content)])
}

/** Stores a value as JSON in a new blob and returns its id. */
export function writeJson(value, kind = 'application/json') {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`Expected a value of JSON, got ${typeof value}`)
  return storeBlob(kind, [Buffer.from(text)])
}

/** Stores a file as a new blob and returns its id. */
export function writeFile(file, kind = 'application/octet-stream') {
  return storeBlob(kind, readFileChunks(file))
}

/** Opens a new blob as a stream. Its `blobId` is valid once the stream has finished. */
export function openWrite(kind = 'application/octet-stream') {
  const writer = beginBlob(kind)
  const stream = new Writable({
    write(chunk, encoding, done) {
      runStep(() => writer.write(chunk), done)
    },
    final(done) {
      runStep(() => writer.end(), done)
    },
    destroy(error, done) {
      runStep(
        () => error && writer.abort(),
        () => done(error),
      )
    },
  })
  return Object.assign(stream, { blobId: writer.id })
}

function runStep(work, done) {
  try {
    work()
  } catch (error) {
    return done(error)
  }
  done()
}

function findBlob(blobId) {
  const name = typeof blobId === 'string' ? ID.exec(blobId)?.[1] : undefined
  if (name !== undefined) {
    const file = join(job.folders.blobs, name)
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return { file, draft: undefined }
    const draft = findDraft(name)
    if (draft !== undefined) return { file, draft }
  }
  throw new Error(`Blob ${JSON.stringify(blobId)} is not an input of this run`)
}

function toBuffer(content) {
  if (content instanceof ArrayBuffer) return Buffer.from(content)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

function* readFileChunks(file) {
  const fd = openSync(file, 'r')
  try {
    for (;;) {
      const piece = Buffer.alloc(CHUNK)
      const count = readSync(fd, piece, 0, CHUNK, null)
      if (count === 0) return
      yield piece.subarray(0, count)
    }
  } finally {
    closeSync(fd)
  }
}
