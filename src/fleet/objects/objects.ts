import type { Readable } from 'node:stream'

/** Streams that have chunks. */
export type ObjectStream = 'data' | 'skills'

/** Content in chunks of a stream, by which entries of other subjects name it. */
export interface ObjectRef {
  /** Names the chunks: `d.<upload>.<n>`, or `s.<upload>.<n>` for skills. */
  upload: string
  chunks: number
  size: number
  /** `sha256:<hex>` of the content. */
  digest: string
}

/** A part of an object: bytes in [start, end). */
export interface ObjectRange {
  start?: number | undefined
  end?: number | undefined
}

/** Content that is being written. It is invisible until its reference is stored elsewhere. */
export interface ObjectWriter {
  readonly written: number
  /**
   * Resolves when more may be written; a few chunks are on the way at once. The bytes may be changed
   * afterwards.
   */
  write(chunk: Uint8Array): Promise<void>
  /** At most `size` of the written bytes, from `offset` on, before and after `close`. */
  read(offset: number, size: number): Promise<Buffer>
  /** Returns when the engine has acknowledged every chunk. */
  close(): Promise<ObjectRef>
  /** Removes the chunks; a sweep removes those that cannot be removed now. Never throws. */
  abort(): Promise<void>
}

/** Reads an object at any position. Made for reading mostly forward. */
export interface ObjectReader {
  /** Fills the buffer from this offset of the object on; returns the number of bytes read. */
  read(into: Buffer, from: number): Promise<number>
}

/** Content of any size in the engine, whose messages are limited to 1 MB. */
export interface Objects {
  writer(): ObjectWriter
  write(content: Uint8Array): Promise<ObjectRef>
  /**
   * The content, or its bytes in [start, end). Each chunk is verified by its own checksum, and the
   * content by its digest if it is read whole: its last chunk follows only if the digest matches.
   * Fails with `ObjectMissingError` if chunks are missing, and with `ObjectDamagedError` if they were
   * changed.
   */
  read(ref: ObjectRef, range?: ObjectRange): Readable
  readAll(ref: ObjectRef): Promise<Buffer>
  /** Opens an object for reading at any position. Fails as `read` does. */
  reader(ref: ObjectRef): ObjectReader
  remove(ref: ObjectRef): Promise<void>
}

/** Chunks of an object are missing. */
export class ObjectMissingError extends Error {
  override name = 'ObjectMissingError'
}

/** Chunks of an object were changed. */
export class ObjectDamagedError extends Error {
  override name = 'ObjectDamagedError'
}
