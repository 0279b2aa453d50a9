import { MessageChannel } from 'node:worker_threads'
import { once } from './once.ts'

/** A port without another end. */
const getClosedPort = once(() => {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.unref()
  return port1
})

/**
 * Gives the memory of a large buffer back at once, which is all of its memory; it is empty afterwards. The collector would let tens of megabytes of short-lived buffers gather first. Memory
 * that goes to a port without another end is nobody's.
 */
export function freeBuffer(buffer: Buffer): void {
  const memory = buffer.buffer
  // Small ones share their memory, and a part of a large one belongs to somebody as well.
  const isShared = memory.byteLength <= Buffer.poolSize || memory.byteLength > buffer.length
  if (!(memory instanceof ArrayBuffer) || isShared) return
  getClosedPort().postMessage(undefined, [memory])
}
