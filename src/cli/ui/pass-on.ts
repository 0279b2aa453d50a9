import { once } from 'node:events'
import { printableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Hands on what a program prints, as it comes. */
export interface PassOn {
  take(this: void, stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void>
  /** To be called when nothing more comes. */
  end(): Promise<void>
}

/** Bytes as they are into files and pipes; on a terminal text that cannot take it over. */
export function passOn(context: Context): PassOn {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  const write = async (name: 'stdout' | 'stderr', chunk: Buffer, isLast: boolean) => {
    const stream = context[name]
    const shown =
      stream.isTTY === true
        ? printableLines(decoders[name].decode(chunk, { stream: !isLast }))
        : chunk
    if (shown.length > 0 && !stream.write(shown)) await once(stream, 'drain')
  }
  return {
    take: async (name, chunk) => await write(name, chunk, false),
    async end() {
      for (const name of ['stdout', 'stderr'] as const) await write(name, Buffer.alloc(0), true)
    },
  }
}
