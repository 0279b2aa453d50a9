/** Declarations of the module that every run provides; only editors read this file. */
declare module 'runtime' {
  import type { Readable, Writable } from 'node:stream'

  /** Log lines with a level. */
  export const log: Record<
    'debug' | 'info' | 'warning' | 'warn' | 'error',
    (...values: unknown[]) => void
  >

  /** Large values by handle. */
  export const blobs: {
    path(blobId: string): string
    readBytes(blobId: string): Buffer
    readText(blobId: string): string
    readJson(blobId: string): unknown
    openRead(blobId: string): Readable
    writeBytes(content: Uint8Array | ArrayBuffer, kind?: string): string
    writeText(content: string, kind?: string): string
    writeJson(value: unknown, kind?: string): string
    writeFile(file: string, kind?: string): string
    openWrite(kind?: string): Writable & { blobId: string }
  }
}
