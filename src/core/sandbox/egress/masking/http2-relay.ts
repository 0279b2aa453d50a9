import {
  connect,
  performServerHandshake,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { NetworkRefusal } from '../decision.ts'
import { namesDestination } from '../destination.ts'
import { formatHostHeader, UPGRADE_REFUSED } from '../refusals.ts'
import { askForNoCoding, measureHead } from './http-relay.ts'
import { CodingError, maskAnswer } from './mask-answer.ts'
import type { DecryptedConnection, RelayFilter } from './relay-parts.ts'
import { relayReplaced } from './replacer.ts'
import { unmaskRequest, type UnmaskedRequest } from './request-body.ts'
import { StandInError } from './request-mask.ts'

const MAX_STREAMS = 128
/** A stream has that much in memory while its reader is slow. */
const STREAM_WINDOW = 4 * 1024 * 1024
const WINDOW = 16 * 1024 * 1024
const SETTINGS = {
  enablePush: false,
  maxConcurrentStreams: MAX_STREAMS,
  initialWindowSize: STREAM_WINDOW,
}

/** Relays decrypted HTTP/2, stream by stream. Takes ownership of both ends. */
export function relayHttp2(filter: RelayFilter, connection: DecryptedConnection): void {
  const { client, upstream, destination, streams } = connection
  const session = performServerHandshake(client, { settings: SETTINGS })
  const out = connect(`https://${formatHostHeader(destination)}`, {
    createConnection: () => upstream,
    settings: SETTINGS,
  })
  for (const [each, other] of [
    [session, out],
    [out, session],
  ] as const) {
    each.on('error', () => each.destroy())
    each.on('close', () => other.close())
    each.on('goaway', () => other.close())
  }
  // The ends may be half-open, which a session does not see.
  client.on('end', () => session.destroy())
  upstream.on('end', () => out.destroy())
  // The session takes the bytes, so that the timer of its socket would see none.
  session.setTimeout(client.timeout ?? 0, () => session.destroy())
  client.setTimeout(0)
  session.on('connect', () => session.setLocalWindowSize(WINDOW))
  out.on('connect', () => out.setLocalWindowSize(WINDOW))
  const onStream = (stream: ServerHttp2Stream, ...rest: [object, number, string[]]) => {
    stream.on('error', () => stream.destroy())
    if (streams.open >= MAX_STREAMS) return stream.close(7)
    streams.open += 1
    stream.once('close', () => (streams.open -= 1))
    void serveStream({ filter, connection, out }, stream, rest[2])
  }
  session.on('stream', onStream)
}

interface Http2Relay {
  filter: RelayFilter
  connection: DecryptedConnection
  out: ClientHttp2Session
}

async function serveStream(
  relay: Http2Relay,
  stream: ServerHttp2Stream,
  raw: readonly string[],
): Promise<void> {
  const { filter, connection } = relay
  const { via, destination, mask, onUnplaced } = connection
  const refuse = (refusal: NetworkRefusal) =>
    refuseStream(stream, filter.reportRefusal(via, refusal, destination))
  const head = readHead(raw)
  const refusal = findHeadRefusal(head.pseudo, connection)
  if (refusal) return refuse(refusal)
  const length = head.fields['content-length']
  try {
    const unmasked = await unmaskRequest(
      {
        method: head.pseudo[':method'] ?? 'GET',
        path: head.pseudo[':path'] ?? '/',
        headers: askForNoCoding(head.headers),
        fields: { ...head.fields, host: head.pseudo[':authority'] },
        body: stream,
        length: length === undefined ? undefined : Number(length),
        hasBody: !stream.endAfterHeaders,
      },
      mask,
      onUnplaced,
    )
    if ('reason' in unmasked) return refuse(unmasked)
    forwardStream(relay, stream, { ...unmasked, pseudo: head.pseudo })
  } catch (error) {
    if (error instanceof StandInError) return refuse(error.refusal)
    refuse({
      reason: 'request-refused',
      message: `The request was refused: ${(error as Error).message}`,
    })
  }
}

type PseudoHeaders = Readonly<Record<string, string | undefined>>

/** Separates the pseudo-headers from the others. */
function readHead(raw: readonly string[]) {
  const pseudo: Record<string, string> = {}
  const fields: Record<string, string> = {}
  const headers: string[] = []
  raw.forEach((name, at) => {
    if (at % 2 === 1) return
    const value = raw[at + 1] ?? ''
    if (name.startsWith(':')) pseudo[name] = value
    else {
      fields[name] = value
      if (name !== 'host') headers.push(name, value)
    }
  })
  return { pseudo, fields, headers }
}

function findHeadRefusal(
  pseudo: PseudoHeaders,
  { destination }: DecryptedConnection,
): NetworkRefusal | undefined {
  const authority = pseudo[':authority'] ?? ''
  const isPlain = pseudo[':method'] !== 'CONNECT' && pseudo[':scheme'] === 'https'
  if (!isPlain || !(pseudo[':path'] ?? '').startsWith('/')) return UPGRADE_REFUSED
  if (namesDestination(authority, destination)) return undefined
  return {
    reason: 'name-mismatch',
    message: `The request names another host than ${destination.host}`,
  }
}

function forwardStream(
  { filter, connection, out }: Http2Relay,
  stream: ServerHttp2Stream,
  request: UnmaskedRequest & { pseudo: PseudoHeaders },
): void {
  const { mask, via, destination } = connection
  const { body, length, pseudo } = request
  if (out.closed || out.destroyed || stream.destroyed) return stream.close(8)
  filter.countBytes(measureHead([request.path, ...request.headers]))
  const outgoing = out.request(
    {
      ...groupHeaders(request.headers),
      ':method': pseudo[':method'],
      ':scheme': 'https',
      ':authority': formatHostHeader(destination),
      ':path': request.path,
      ...(length !== undefined && { 'content-length': String(length) }),
    },
    { endStream: body === undefined },
  )
  outgoing.on('error', () => stream.close(2))
  outgoing.on('aborted', () => stream.close(2))
  stream.on('aborted', () => outgoing.close(8))
  stream.on('close', () => outgoing.close(stream.rstCode))
  outgoing.on('close', () => {
    const message = `${destination.host}: the connection was closed`
    if (!stream.headersSent) refuseStream(stream, { reason: 'unreachable', message })
  })
  if (body !== undefined) {
    if (Buffer.isBuffer(body)) {
      filter.countBytes(body.length)
      outgoing.end(body)
    } else {
      body.on('data', (chunk: Buffer) => filter.countBytes(chunk.length))
      body.on('error', (error) => {
        outgoing.close(8)
        if (error instanceof StandInError) {
          refuseStream(stream, filter.reportRefusal(via, error.refusal, destination))
        }
      })
      body.pipe(outgoing)
    }
  }
  let trailers: IncomingHttpHeaders | undefined
  outgoing.on('trailers', (each) => (trailers = each))
  outgoing.on('response', (_headers: object, _flags: number, raw: string[]) => {
    const hasBody = pseudo[':method'] !== 'HEAD'
    answerStream({ filter, connection }, stream, { outgoing, raw, hasBody })
  })
  stream.on('wantTrailers', () => {
    const flat = Object.entries(trailers ?? {}).flatMap(([name, value]) => [name, String(value)])
    try {
      stream.sendTrailers(groupHeaders(mask.maskHeaders(flat)))
    } catch {
      stream.close(2)
    }
  })
}

interface ArrivedAnswer {
  outgoing: ReturnType<ClientHttp2Session['request']>
  raw: readonly string[]
  hasBody: boolean
}

function answerStream(
  { filter, connection: { mask } }: Omit<Http2Relay, 'out'>,
  stream: ServerHttp2Stream,
  { outgoing, raw, hasBody }: ArrivedAnswer,
): void {
  const { pseudo, headers } = readHead(raw)
  const count = (bytes: number) => filter.countBytes(bytes)
  outgoing.on('data', (chunk: Buffer) => count(chunk.length))
  count(measureHead(raw))
  try {
    const answer = hasBody
      ? maskAnswer({ headers, body: outgoing }, mask, count)
      : { headers: mask.maskHeaders(headers), body: outgoing }
    if (stream.destroyed) return outgoing.close(8)
    stream.respond(
      { ':status': Number(pseudo[':status']), ...groupHeaders(answer.headers) },
      { waitForTrailers: true },
    )
    answer.body.on('error', () => stream.close(2))
    answer.body.on('close', () => {
      if (!answer.body.readableEnded) stream.close(2)
    })
    relayReplaced(answer.body, stream, mask.answerSearch)
  } catch (error) {
    outgoing.close(8)
    const message = error instanceof CodingError ? error.message : 'Its answer cannot be passed on'
    refuseStream(stream, { reason: 'unreachable', message })
  }
}

function refuseStream(
  stream: ServerHttp2Stream,
  { reason, message }: { reason: string; message: string },
): void {
  if (stream.destroyed || stream.closed) return
  if (stream.headersSent) return stream.close(2)
  const body = `${JSON.stringify({ error: { code: reason, message } })}\n`
  stream.respond({
    ':status': reason === 'unreachable' ? 502 : 403,
    'content-type': 'application/json',
  })
  stream.end(body)
}

function groupHeaders(flat: readonly string[]): OutgoingHttpHeaders {
  const grouped: Record<string, string | string[]> = {}
  flat.forEach((text, at) => {
    if (at % 2 === 1) return
    const name = text.toLowerCase()
    const value = flat[at + 1] ?? ''
    const present = grouped[name]
    grouped[name] = present === undefined ? value : [present, value].flat()
  })
  return grouped
}
