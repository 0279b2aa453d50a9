import { ConnectionError } from './errors.ts'

export interface ServerSentEvent {
  id: string | undefined
  name: string
  data: string
}

/** Parses server-sent events. Data after the last complete event is dropped. */
export async function* readServerSent(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ServerSentEvent> {
  let event = createEmptyEvent()
  for await (const line of readLines(chunks, maxBytes)) {
    if (line === '') {
      if (event.data.length > 0) yield { ...event, data: event.data.join('\n') }
      event = createEmptyEvent()
      continue
    }
    const at = line.indexOf(':')
    const field = at === -1 ? line : line.slice(0, at)
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'data') event.data.push(value)
    else if (field === 'event') event.name = value
    else if (field === 'id') event.id = value
  }
}

function createEmptyEvent() {
  return { id: undefined as string | undefined, name: 'message', data: [] as string[] }
}

/** Lines end with CR, LF or CRLF. An incomplete line is buffered until the next chunk. */
async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let waiting = 0
  let endedWithReturn = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text === '') continue
    endedWithReturn = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\r|\n/)
    pieces.push(first)
    waiting += first.length
    if (waiting > maxBytes) throw eventTooLongError(maxBytes)
    if (others.length === 0) continue
    yield pieces.join('')
    pieces = [others.pop() as string]
    waiting = 0
    yield* others
  }
}

function eventTooLongError(maxBytes: number): ConnectionError {
  return new ConnectionError(`An event has more than ${maxBytes} bytes`, { problem: 'too-large' })
}
