import type { Readable } from 'node:stream'

/**
 * Hands over what comes by a stream until its end, for who need not wait with any of it: to iterate over
 * it would cost several times as much. What is thrown ends it.
 */
export async function eachChunk(source: Readable, take: (chunk: Buffer) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    source.once('error', reject).once('end', resolve).once('close', resolve)
    source.on('data', (chunk: Buffer) => {
      try {
        take(chunk)
      } catch (error) {
        source.destroy()
        reject(error)
      }
    })
  })
}
