import { createHash } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import {
  ObjectDamagedError,
  ObjectMissingError,
  type ObjectRef,
  type ObjectStream,
} from './objects.ts'

/** Bytes of a chunk: the engine accepts messages of 1 MB, and sends them in base64. */
export const CHUNK_BYTES: number = 512 * 1024
/** Each chunk begins with a checksum of its bytes and its position. */
export const CHECKSUM_BYTES = 32

const FIRST_PART = { data: 'd', skills: 's' } as const
const UPLOAD = /^[0-9a-f]{32}$/

/** A stream of an engine that has chunks. */
export interface ChunkLocation {
  engine: Engine
  stream: ObjectStream
}

/** Subject of a chunk. */
export function nameChunk(stream: ObjectStream, upload: string, chunk: number): string {
  return `${nameUpload(stream, upload)}.${chunk}`
}

/** Subject of a mark that the writer of an upload stores while it is open. */
export function nameOpenMark(stream: ObjectStream, upload: string, mark: number): string {
  return `${nameUpload(stream, upload)}.open.${mark}`
}

/** Matches the marks of all uploads. */
export function matchOpenMarks(stream: ObjectStream): string {
  return `${FIRST_PART[stream]}.*.open.*`
}

/** Matches all messages of an upload. Throws if the name could match others. */
export function matchUpload(stream: ObjectStream, upload: string): string {
  return `${nameUpload(stream, upload)}.>`
}

function nameUpload(stream: ObjectStream, upload: string): string {
  // References are read from the engine: a wildcard in one must not match other uploads.
  if (!UPLOAD.test(upload)) throw new ObjectDamagedError('the name of the upload is not valid')
  return `${FIRST_PART[stream]}.${upload}`
}

/** Checksum of the bytes of a chunk, which are valid only at this position of this upload. */
export function computeChecksum(upload: string, chunk: number, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(`${upload}.${chunk}.`).update(bytes).digest()
}

/** Reads and verifies one chunk. */
export async function fetchChunk(
  { engine, stream }: ChunkLocation,
  ref: ObjectRef,
  chunk: number,
): Promise<Buffer> {
  const subject = nameChunk(stream, ref.upload, chunk)
  const found = await engine.last(stream, subject)
  if (!found) throw new ObjectMissingError(`"${subject}" is missing`)
  const { buffer, byteOffset, length } = found.body
  const body = Buffer.from(buffer, byteOffset, length)
  const bytes = body.subarray(CHECKSUM_BYTES)
  const checksum = computeChecksum(ref.upload, chunk, bytes)
  const size = Math.min(CHUNK_BYTES, ref.size - chunk * CHUNK_BYTES)
  if (bytes.length !== size || !checksum.equals(body.subarray(0, CHECKSUM_BYTES))) {
    throw new ObjectDamagedError(`"${subject}" does not match its checksum`)
  }
  return bytes
}

/** True if a value from the engine is a reference to an object. */
export function isObjectRef(value: unknown): value is ObjectRef {
  const { upload, chunks, size, digest } = Object(value) as Partial<ObjectRef>
  return (
    typeof upload === 'string' &&
    UPLOAD.test(upload) &&
    Number.isSafeInteger(size) &&
    chunks === Math.ceil((size as number) / CHUNK_BYTES) &&
    typeof digest === 'string'
  )
}
