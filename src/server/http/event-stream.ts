/** The server-sent events of one response. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** True if the queue for a slow client is full. */
  readonly isFull: boolean
  /** Sends an event. Log events that a slow client cannot receive are dropped and counted. */
  send(event: { name: string; data: unknown; number?: number }): void
  /** Sends a last event regardless of the client's pace and ends the stream. */
  finish(event?: { name: string; text: string }): void
}

/** Bytes queued for a slow client, by default. */
const MAX_QUEUED_BYTES = 1024 ** 2
/** Prevents proxies from closing silent connections. */
const HEARTBEAT_MS = 15_000

export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const

/** Opens a stream. `onGone` is called if the client disconnects before the end. */
export function openEventStream(
  onGone: () => void = () => {},
  maxQueuedBytes: number = MAX_QUEUED_BYTES,
): EventStream {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array>
  let isOpen = true
  let dropped = 0
  const write = (text: string) => {
    if (isOpen) controller.enqueue(encoder.encode(text))
  }
  const heartbeat = setInterval(() => {
    if ((controller.desiredSize ?? 0) > 0) write(':\n\n')
  }, HEARTBEAT_MS)
  const stop = () => {
    isOpen = false
    clearInterval(heartbeat)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(streamController) {
        controller = streamController
      },
      cancel() {
        stop()
        onGone()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxQueuedBytes }),
  )
  return {
    body,
    get isFull() {
      return (controller.desiredSize ?? 0) <= 0
    },
    send({ number, name, data }) {
      if (!isOpen) return
      if (name === 'log' && (controller.desiredSize ?? 0) <= 0) {
        dropped += 1
        return
      }
      if (dropped > 0) write(renderFrame('dropped', JSON.stringify({ events: dropped })))
      dropped = 0
      write(renderFrame(name, JSON.stringify(data), number))
    },
    finish(event) {
      if (!isOpen) return
      if (dropped > 0) write(renderFrame('dropped', JSON.stringify({ events: dropped })))
      if (event) write(renderFrame(event.name, event.text))
      stop()
      controller.close()
    },
  }
}

/** JSON contains no newlines, so one data line is enough. */
function renderFrame(name: string, text: string, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${name}\ndata: ${text}\n\n`
}
