import { request as send, type Agent, type IncomingMessage } from 'node:http'
import { PassThrough, Transform, type Duplex } from 'node:stream'
import { removeHopByHopHeaders } from '../http-request.ts'
import { formatHostHeader, UPGRADE_REFUSED, writeRawRefusal } from '../refusals.ts'
import type { DecryptedConnection, RelayFilter } from './relay-parts.ts'
import { Replacer } from './replacer.ts'
import type { RequestMask } from './request-mask.ts'
import { TextSearch } from './text-search.ts'

interface UpgradeRequest {
  request: IncomingMessage
  client: Duplex
  /** Bytes that followed the request. */
  first: Buffer
}

/**
 * Relays a WebSocket: values are put into its handshake only. Frames are not compressed, so that an
 * echo is found in those of the server.
 */
export function relayUpgrade(
  filter: RelayFilter,
  { mask, destination, via, agent, onUnplaced }: DecryptedConnection & { agent: Agent },
  { request, client, first }: UpgradeRequest,
): void {
  client.on('error', () => client.destroy())
  const isWebSocket =
    request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET'
  if (
    !isWebSocket ||
    request.headers['content-length'] !== undefined ||
    request.headers['transfer-encoding'] !== undefined
  ) {
    return writeRawRefusal(client, filter.reportRefusal(via, UPGRADE_REFUSED, destination))
  }
  const flat = removeHopByHopHeaders(request.rawHeaders)
  const kept = flat.filter(
    (_, at) => !/^sec-websocket-extensions$/i.test(flat[at - (at % 2)] ?? ''),
  )
  const head = mask.unmaskHead({ path: request.url ?? '/', headers: kept }, onUnplaced)
  if ('reason' in head) return writeRawRefusal(client, filter.reportRefusal(via, head, destination))
  const outgoing = send({
    agent,
    method: 'GET',
    path: head.path,
    headers: [
      'Host',
      formatHostHeader(destination),
      ...head.headers,
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ],
  })
  const refuse = (message: string) =>
    writeRawRefusal(client, { reason: 'unreachable', message: `${destination.host}: ${message}` })
  outgoing.on('error', (error) => refuse(error.message))
  outgoing.on('response', (answer) => {
    refuse(`the switch to a WebSocket was answered with ${answer.statusCode}`)
    answer.destroy()
  })
  outgoing.on('upgrade', (answer, upstream, rest) => {
    client.write(writeAnswer(mask.maskHeaders(answer.rawHeaders)))
    joinFrames(filter, mask, { client, first, upstream, rest })
  })
  outgoing.end()
}

function writeAnswer(headers: readonly string[]): Buffer {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
  const head = ['HTTP/1.1 101 Switching Protocols', ...lines, '', '']
  return Buffer.from(head.join('\r\n'), 'latin1')
}

/** Both ends of a WebSocket, with the bytes that came before they were joined. */
interface WebSocketEnds {
  client: Duplex
  first: Buffer
  upstream: Duplex
  rest: Buffer
}

function joinFrames(filter: RelayFilter, mask: RequestMask, ends: WebSocketEnds): void {
  const { client, first, upstream, rest } = ends
  const toServer = createCounter(filter)
  // A replacement of another length would break the frames.
  const replacements = mask.answerSearch.replacements.map(({ from, to }) => ({
    from,
    to: Buffer.alloc(from.length, to),
  }))
  const toClient = createFrameStream(new TextSearch(replacements))
  toServer.pipe(upstream)
  toClient.pipe(client)
  if (first.length > 0) toServer.write(first)
  if (rest.length > 0) toClient.write(rest)
  client.pipe(toServer)
  upstream.pipe(toClient)
  upstream.on('data', (chunk: Buffer) => filter.countBytes(chunk.length))
  upstream.on('error', () => client.destroy())
  upstream.on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
}

/** Replaces texts in each frame, so that no end of one waits for the next. */
function createFrameStream(search: TextSearch): Transform {
  let replacer = new Replacer(search)
  let head = Buffer.alloc(0)
  let left = 0
  const pass = (bytes: Buffer): Buffer[] => {
    left -= bytes.length
    const parts = replacer.push(bytes)
    if (left > 0) return parts
    parts.push(replacer.end())
    replacer = new Replacer(search)
    return parts
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const parts: Buffer[] = []
      for (let at = 0; at < chunk.length;) {
        const bytes = chunk.subarray(at, at + (left || 1))
        at += bytes.length
        if (left > 0) parts.push(...pass(bytes))
        else {
          head = Buffer.concat([head, bytes])
          const length = readFrameLength(head)
          if (length === undefined) continue
          parts.push(head)
          head = Buffer.alloc(0)
          left = length
        }
      }
      done(null, Buffer.concat(parts))
    },
  })
}

/** Length of the content of a frame; undefined while its head is incomplete. */
function readFrameLength(head: Buffer): number | undefined {
  const [, second = 0] = head
  const short = second & 0x7f
  const extra = short < 126 ? 0 : short === 126 ? 2 : 8
  if (head.length < 2 + extra + (second & 0x80 ? 4 : 0)) return undefined
  if (extra === 0) return short
  return extra === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2))
}

function createCounter(filter: RelayFilter): PassThrough {
  const counter = new PassThrough()
  counter.on('data', (chunk: Buffer) => filter.countBytes(chunk.length))
  return counter
}
