import type { ChildProcess } from 'node:child_process'
import { Readable, type Duplex, type Writable } from 'node:stream'

/** One of a child's descriptors, as a pipe that goes both ways. */
export function childStream(child: ChildProcess, fd: number): Duplex & Writable {
  return child.stdio[fd] as unknown as Duplex & Writable
}

/** Node throws away what nobody reads yet when a child exits: this reads from the start. */
export function bufferStream(source: Readable): Readable {
  const buffer = new Readable({ read: () => void source.resume() })
  let isOver = false
  const end = () => {
    if (!isOver) buffer.push(null)
    isOver = true
  }
  source.on('data', (chunk: Buffer) => {
    if (!buffer.push(chunk)) source.pause()
  })
  // Who is destroyed has no end.
  source.once('end', end).once('close', end)
  return buffer
}

/** Resolves when nothing more can come. */
export function waitForStreamEnd(readable: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (readable.readableEnded || readable.destroyed) return resolve()
    readable.once('end', resolve)
    readable.once('close', resolve)
  })
}
