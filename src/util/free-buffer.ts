import { MessageChannel, type MessagePort } from 'node:worker_threads'

let nobody: MessagePort | undefined

/**
 * Gives the memory of a large buffer back at once, which is all of its memory; it is empty afterwards. The collector would let tens of megabytes of short-lived buffers gather first. Memory
 * that goes to a port without another end is nobody's.
 */
export function freeBuffer(buffer: Buffer): void {
  const memory = buffer.buffer
  // Small ones share their memory, and a part of a large one belongs to somebody as well.
  const isShared = memory.byteLength <= Buffer.poolSize || memory.byteLength > buffer.length
  if (!(memory instanceof ArrayBuffer) || isShared) return
  if (!nobody) {
    const { port1, port2 } = new MessageChannel()
    port2.close()
    port1.unref()
    nobody = port1
  }
  nobody.postMessage(undefined, [memory])
}
