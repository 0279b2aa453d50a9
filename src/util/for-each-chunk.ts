import type { Readable } from 'node:stream'

/**
 * Hands over what comes by a stream, piece by piece, until its end; to iterate over it would cost several
 * times as much. Who answers with a promise gets the next piece when that is kept. Where something is
 * thrown, the rest is read and thrown away: whoever writes it is not to wait for ever.
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
  // It may end while its last piece is being worked on.
  await last
}
