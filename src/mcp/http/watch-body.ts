import type { CallConnection } from './resumable-calls.ts'

/** The id of the first event that has one. Event data contains no newlines. */
const EVENT_ID = /^id: (.+)\.\d+$/m

/** Reports whether a body is sent completely or cancelled. */
export function watchBody(response: Response, connection: CallConnection): Response {
  if (!response.body) {
    connection.complete()
    return response
  }
  const reader = response.body.getReader()
  let isNamed = !response.headers.get('content-type')?.startsWith('text/event-stream')
  const detectStreamId = (bytes: Uint8Array) => {
    const stream = isNamed ? undefined : EVENT_ID.exec(new TextDecoder().decode(bytes))?.[1]
    if (stream === undefined) return
    isNamed = true
    connection.setStream(stream)
  }
  let isCut = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) {
        detectStreamId(value)
        return controller.enqueue(value)
      }
      // A read that was pending when the body was cancelled also ends here.
      if (isCut) return
      connection.complete()
      controller.close()
    },
    async cancel(reason) {
      isCut = true
      connection.disconnect()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
