import type { Readable } from 'node:stream'

/** Streams a file as a response body. Ends if the client reads nothing for `idleMs`. */
export function createPacedStream(source: Readable, idleMs: number): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    source.destroy()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer)
        const { value, done } = await pieces.next()
        if (done) {
          end()
          return controller.close()
        }
        controller.enqueue(value)
        timer = setTimeout(() => {
          end()
          controller.error(new Error('the client is too slow'))
        }, idleMs)
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

/** Yields the chunks of a body. Throws the error of `late` if none arrives for `idleMs`. */
export async function* readPacedBody(
  body: ReadableStream<Uint8Array> | null,
  idleMs: number,
  createTimeoutError: () => Error,
): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(createTimeoutError()), idleMs)
      })
      const next = reader.read()
      next.catch(() => {})
      const { done, value } = await Promise.race([next, tooLate]).finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
