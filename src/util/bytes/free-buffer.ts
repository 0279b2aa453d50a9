import { MessageChannel } from 'node:worker_threads'
import { once } from '../once.ts'

/** A message port whose other end is closed. */
const getClosedPort = once(() => {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.unref()
  return port1
})

/**
 * Frees the memory of a large buffer immediately; the buffer must own all of it and is empty
 * afterwards. The garbage collector would let tens of megabytes of short-lived buffers accumulate.
 * Memory transferred to a closed port is released.
 */
export function freeBuffer(buffer: Buffer): void {
  const memory = buffer.buffer
  // Small buffers share their memory, and a slice of a large one has other users.
  const isShared = memory.byteLength <= Buffer.poolSize || memory.byteLength > buffer.length
  if (!(memory instanceof ArrayBuffer) || isShared) return
  getClosedPort().postMessage(undefined, [memory])
}
