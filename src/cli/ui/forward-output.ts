import { once } from 'node:events'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Forwards a program's output as it arrives. */
export interface OutputForwarder {
  forward(this: void, stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void>
  /** Call after the last chunk. */
  finish(): Promise<void>
}

/** Raw bytes to files and pipes; printable text to a terminal. */
export function createOutputForwarder(context: Context): OutputForwarder {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  const write = async (name: 'stdout' | 'stderr', chunk: Buffer, isLast: boolean) => {
    const stream = context[name]
    const shown =
      stream.isTTY === true
        ? toPrintableLines(decoders[name].decode(chunk, { stream: !isLast }))
        : chunk
    if (shown.length > 0 && !stream.write(shown)) await once(stream, 'drain')
  }
  return {
    forward: async (name, chunk) => await write(name, chunk, false),
    async finish() {
      for (const name of ['stdout', 'stderr'] as const) await write(name, Buffer.alloc(0), true)
    },
  }
}
