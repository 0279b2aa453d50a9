import { Socket } from 'node:net'
import type { ByteMeter } from './byte-meter.ts'

/** A chunk that a stream writes together with others. */
interface WrittenChunk {
  chunk: Buffer | string
  encoding: BufferEncoding
}

/**
 * A connection to a destination. Bytes are counted before they are sent, and before code of a run
 * receives them. Above the limit the connection ends.
 */
export class MeteredSocket extends Socket {
  #meter: ByteMeter

  constructor(meter: ByteMeter) {
    super({ allowHalfOpen: true })
    this.#meter = meter
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null && !this.#count(chunk.length)) return false
    return super.push(chunk, encoding)
  }

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (this.#count(Buffer.byteLength(chunk, encoding))) super._write(chunk, encoding, callback)
    else callback()
  }

  override _writev(chunks: WrittenChunk[], callback: (error?: Error | null) => void): void {
    const sizes = chunks.map(({ chunk, encoding }) => Buffer.byteLength(chunk, encoding))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    if (this.#count(bytes)) super._writev?.(chunks, callback)
    else callback()
  }

  #count(bytes: number): boolean {
    if (this.#meter.add(bytes)) return true
    this.destroy()
    return false
  }
}
