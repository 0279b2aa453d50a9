import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { Readable, type Duplex, type Writable } from 'node:stream'

/** Returns a child's file descriptor as a duplex stream. */
export function getChildStream(child: ChildProcess, fd: number): Duplex & Writable {
  return child.stdio[fd] as unknown as Duplex & Writable
}

/** Keeps this process from exiting for a child and its streams only while `isHeld`. */
export function holdForChild(child: ChildProcess, isHeld: boolean): void {
  const method = isHeld ? 'ref' : 'unref'
  child[method]()
  const streams = child.stdio as (Partial<Socket> | null | undefined)[]
  for (const each of streams) if (each?.destroyed === false) each[method]?.()
}

/** Reads from the start and buffers: Node discards unread output when a child exits. */
export function bufferStream(source: Readable): Readable {
  const buffer = new Readable({ read: () => void source.resume() })
  let hasEnded = false
  const end = () => {
    if (!hasEnded) buffer.push(null)
    hasEnded = true
  }
  source.on('data', (chunk: Buffer) => {
    if (!buffer.push(chunk)) source.pause()
  })
  // A destroyed stream emits no `end` event.
  source.once('end', end).once('close', end)
  return buffer
}

/** Resolves when no more data can arrive. */
export function waitForStreamEnd(readable: Readable): Promise<void> {
  return new Promise((resolve) => {
    // A socket passes whether it had an error to its listeners of `close`.
    const end = () => resolve()
    if (readable.readableEnded || readable.destroyed) return end()
    readable.once('end', end)
    readable.once('close', end)
  })
}
