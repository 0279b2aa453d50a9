/**
 * Declarations of the module that every run provides; only editors read this file. Interfaces and
 * `var` allow an editor to load the same declarations from several skills.
 */
declare module 'runtime' {
  import type { Readable, Writable } from 'node:stream'

  interface Log {
    debug: (...values: unknown[]) => void
    info: (...values: unknown[]) => void
    warning: (...values: unknown[]) => void
    warn: (...values: unknown[]) => void
    error: (...values: unknown[]) => void
  }

  interface Blobs {
    path: (blobId: string) => string
    readBytes: (blobId: string) => Buffer
    readText: (blobId: string) => string
    readJson: (blobId: string) => unknown
    openRead: (blobId: string) => Readable
    writeBytes: (content: Uint8Array | ArrayBuffer, kind?: string) => string
    writeText: (content: string, kind?: string) => string
    writeJson: (value: unknown, kind?: string) => string
    writeFile: (file: string, kind?: string) => string
    openWrite: (kind?: string) => Writable & { blobId: string }
  }

  /** Log lines with a level. */
  export var log: Log

  /** Reports that `done` of `total` steps are complete, with an optional text. */
  export var progress: (done: number, total: number, message?: string) => void

  /** Large values by handle. */
  export var blobs: Blobs
}
