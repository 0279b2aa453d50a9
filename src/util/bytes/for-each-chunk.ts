import type { Readable } from 'node:stream'

/**
 * Reads a stream chunk by chunk until its end; async iteration costs several times as much. If
 * `take` returns a promise, the next chunk waits for it. After an error the rest is read and
 * discarded, so that the writer does not block.
 */
export async function forEachChunk(
  source: Readable,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  let last: Promise<void> | undefined
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      try {
        const work = take(chunk)
        if (!work) return
        source.pause()
        last = work.then(() => void source.resume())
        last.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
    const fail = (error: unknown) => {
      source.off('data', onData).resume()
      reject(error)
    }
    source.once('error', reject).once('end', resolve).once('close', resolve).on('data', onData)
  })
  // The stream may end while its last chunk is being processed.
  await last
}
