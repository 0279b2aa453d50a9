import { request as send, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect as startTls } from 'node:tls'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib'
import { removeHopByHopHeaders } from '../http-request.ts'
import { pairHeaders } from '../masking/flat-headers.ts'
import { formatHostHeader } from '../refusals.ts'
import { openTrust } from '../trust.ts'
import { MAX_BODY_BYTES } from './answering-server.ts'
import type { AnswerableRequest, AnsweredResponse } from './request-answerer.ts'

const RESPONSE_MS = 60_000
const CODINGS = 'gzip, deflate, br'
const LIMIT: ZlibOptions = { maxOutputLength: MAX_BODY_BYTES }

/** Headers of a response that describe its encoding in transit. */
const TRANSIT = new Set(['content-encoding', 'content-length'])

/** Sends a request over a connection to its destination, and decodes the response. */
export async function forwardOverSocket(
  { destination, method, url, headers, body }: AnswerableRequest,
  socket: Socket,
  certificates: string | undefined,
): Promise<AnsweredResponse> {
  const { host, scheme } = destination
  const name = isIP(host) === 0 ? { servername: host } : {}
  const connection =
    scheme === 'http'
      ? socket
      : startTls({
          socket,
          host,
          ...name,
          secureContext: openTrust(certificates),
          ALPNProtocols: ['http/1.1'],
        })
  try {
    const incoming = await sendRequest(connection, {
      method,
      path: url.slice(url.indexOf('/', scheme.length + 3)),
      headers: [
        'Host',
        formatHostHeader(destination),
        // A server that answers before it has read the body would close the connection too early.
        'Connection',
        'keep-alive',
        'Accept-Encoding',
        CODINGS,
        ...headers.filter(([each]) => !/^(?:accept-encoding|content-length)$/i.test(each)).flat(),
        ...(body.length > 0 || /^(?:POST|PUT|PATCH)$/.test(method)
          ? ['Content-Length', String(body.length)]
          : []),
      ],
      body,
    })
    const encoded = await readResponse(incoming)
    const decoded = await decodeBody(encoded, incoming.headers['content-encoding'])
    const kept = pairHeaders(removeHopByHopHeaders(incoming.rawHeaders)).filter(
      ([each]) => !TRANSIT.has(each.toLowerCase()),
    )
    return { status: incoming.statusCode ?? 502, headers: kept, body: decoded }
  } finally {
    connection.destroy()
    socket.destroy()
  }
}

interface ForwardedRequest {
  method: string
  path: string
  headers: string[]
  body: Buffer
}

function sendRequest(
  connection: Socket,
  { body, ...options }: ForwardedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = send({ ...options, createConnection: () => connection })
    outgoing.setTimeout(RESPONSE_MS, () => outgoing.destroy(new Error('it took too long')))
    outgoing.on('response', resolve)
    outgoing.on('upgrade', () => reject(new Error('it switched to another protocol')))
    outgoing.on('error', reject)
    connection.on('error', reject)
    outgoing.end(body)
  })
}

async function readResponse(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw createLengthError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Removes the content codings, the last one first. */
async function decodeBody(encoded: Buffer, header = ''): Promise<Buffer> {
  const codings = header
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
  let body = encoded
  for (const coding of codings.toReversed()) {
    if (coding === '' || coding === 'identity' || body.length === 0) continue
    body = await decodeOnce(body, coding)
  }
  return body
}

async function decodeOnce(body: Buffer, coding: string): Promise<Buffer> {
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return await promisify(gunzip)(body, LIMIT)
    if (coding === 'br') return await promisify(brotliDecompress)(body, LIMIT)
    if (coding === 'deflate') {
      // Some servers leave out the zlib header.
      const hasHeader = ((body[0] ?? 0) & 0x0f) === 8
      return await promisify(hasHeader ? inflate : inflateRaw)(body, LIMIT)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw createLengthError()
    throw new Error(`its ${coding} body is broken`, { cause: error })
  }
  throw new Error(`its content coding "${coding}" is unknown, expected gzip, deflate or br`)
}

function createLengthError(): Error {
  return new Error(`its body is longer than ${MAX_BODY_BYTES / 1024 / 1024} MiB`)
}
