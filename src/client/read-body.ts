import { ConnectionError } from './errors.ts'
import type { Deadline } from './deadline.ts'

/** Yields the chunks of a body. Leaving the loop early cancels the transfer. */
export async function* readPieces(
  response: Response,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  let isComplete = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    isComplete = true
  } catch (thrown) {
    if (deadline.signal.aborted) throw deadline.toError(thrown)
    throw new ConnectionError('The connection broke before the response was complete', {
      problem: 'broken',
      httpStatus: response.status,
      cause: thrown,
    })
  } finally {
    if (!isComplete) reader.cancel().catch(() => {})
  }
}

/** Reads a body as text, up to `maxBytes`. */
export async function readText(
  response: Response,
  deadline: Deadline,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let size = 0
  for await (const piece of readPieces(response, deadline)) {
    size += piece.length
    if (size > maxBytes) {
      throw new ConnectionError(`The response has more than ${maxBytes} bytes`, {
        problem: 'too-large',
        httpStatus: response.status,
      })
    }
    pieces.push(decoder.decode(piece, { stream: true }))
  }
  return pieces.join('') + decoder.decode()
}

/** Restarts the timeout with every chunk. */
export async function* restartOnPiece(
  pieces: AsyncIterable<Uint8Array>,
  renew: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    renew()
    yield piece
  }
}
