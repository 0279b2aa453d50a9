import { MessageChannel, type MessagePort } from 'node:worker_threads'

let nobody: MessagePort | undefined

/**
 * Gives the memory of a large buffer back at once, which must be the only one of its memory; it is
 * empty afterwards. The collector would let tens of megabytes of short-lived buffers gather first. Memory
 * that goes to a port without another end is nobody's.
 */
export function freeBuffer(buffer: Buffer): void {
  // Small ones share their memory.
  if (!(buffer.buffer instanceof ArrayBuffer) || buffer.buffer.byteLength <= Buffer.poolSize) return
  if (!nobody) {
    const { port1, port2 } = new MessageChannel()
    port2.close()
    port1.unref()
    nobody = port1
  }
  nobody.postMessage(undefined, [buffer.buffer])
}
