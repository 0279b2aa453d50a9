import type { Readable } from 'node:stream'

/** Content in chunks of a stream, by which entries of other subjects name it. */
export interface ObjectRef {
  /** Names the chunks: `d.<upload>.<n>`, or `s.<upload>.<n>` for skills. */
  upload: string
  chunks: number
  size: number
  /** `sha256:<hex>` of the content. */
  digest: string
}

/** Content that is being written. Nobody sees it before its reference is stored elsewhere. */
export interface ObjectWriter {
  readonly written: number
  /** Resolves when more may be written; a few chunks are on the way at once. */
  write(chunk: Uint8Array): Promise<void>
  /** Returns when the engine has acknowledged every chunk. */
  close(): Promise<ObjectRef>
  /** Removes the chunks. */
  abort(): Promise<void>
}

/** Content of any size in the engine, whose messages are limited to 1 MB. */
export interface Objects {
  writer(): ObjectWriter
  write(content: Uint8Array): Promise<ObjectRef>
  /**
   * The content, or its bytes in [start, end), verified by the digest if it is read whole. Throws
   * `ObjectMissingError` if chunks are missing, and `ObjectDamagedError` if they were changed.
   */
  read(ref: ObjectRef, range?: { start?: number; end?: number }): Readable
  readAll(ref: ObjectRef): Promise<Buffer>
  remove(ref: ObjectRef): Promise<void>
}
