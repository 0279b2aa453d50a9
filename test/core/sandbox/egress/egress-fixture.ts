import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { parseNetworkEntry } from '../../../../src/core/skills/manifest/network-entry.ts'
import type { NetworkDecision } from '../../../../src/core/sandbox/egress/decision.ts'
import type { AnsweredNetwork } from '../../../../src/core/sandbox/egress/answers/answered-network.ts'
import type { MaskedNetwork } from '../../../../src/core/sandbox/egress/masking/masked-network.ts'
import { Egress } from '../../../../src/core/sandbox/egress/egress.ts'
import { parsePrivateExceptions } from '../../../../src/core/sandbox/egress/private-exceptions.ts'
import type { ByteLimit } from '../../../../src/core/sandbox/egress/byte-meter.ts'
import type { HostLookup } from '../../../../src/core/sandbox/egress/resolver.ts'
import {
  DEFAULT_TIMEOUTS,
  type EgressTimeouts,
} from '../../../../src/core/sandbox/egress/tunnel.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

/** Request that a server received. */
export interface ServerRequest {
  method: string
  url: string
  headers: Record<string, string[] | undefined>
  body: string
}

/** Starts a local server that records its requests. */
export async function startUpstream(scheme: 'http' | 'https' = 'http') {
  const requests: ServerRequest[] = []
  const answer = (request: IncomingMessage) => {
    const { method = '', url = '', headersDistinct: headers } = request
    const one: ServerRequest = { method, url, headers, body: '' }
    requests.push(one)
    request.on('data', (chunk) => (one.body += String(chunk)))
  }
  const server =
    scheme === 'http' ? createHttpServer() : createTlsServer({ key: KEY, cert: CERTIFICATE })
  server.on('request', (request, response) => {
    answer(request)
    request.on('end', () => {
      if (request.url === '/away')
        response.writeHead(302, { Location: 'http://other.example.test/' })
      response.end('hello from upstream')
    })
  })
  return { port: await listen(server), requests, server }
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  })
  return (server.address() as AddressInfo).port
}

/** Records of the host's resolver in these tests. */
const NAMES: Record<string, readonly string[]> = {
  'api.example.test': ['127.0.0.1'],
  'other.example.test': ['127.0.0.1'],
  'inside.example.test': ['10.1.2.3'],
  'mapped.example.test': ['::ffff:10.1.2.3'],
  'translated.example.test': ['64:ff9b::a01:203'],
  'metadata.example.test': ['169.254.169.254'],
  'carrier.example.test': ['100.64.0.1'],
  'unique.example.test': ['fd12::1'],
}

/**
 * Opens the egress of a run with these list entries, with its sockets on this machine's loopback
 * interface.
 */
export async function openEgress(
  list: readonly string[],
  allowPrivate: readonly string[] = [],
  more: {
    patience?: Partial<EgressTimeouts>
    onDecision?: () => void
    lookup?: HostLookup
    limit?: ByteLimit
    answers?: AnsweredNetwork
    masking?: MaskedNetwork
  } = {},
) {
  const entries = list.map((text) => {
    const entry = parseNetworkEntry(text)
    if ('problem' in entry) throw new Error(entry.problem)
    return entry
  })
  const exceptions = parsePrivateExceptions(allowPrivate)
  if ('wrong' in exceptions) throw new Error(exceptions.wrong)
  const decisions: NetworkDecision[] = []
  const lookups: string[] = []
  const options = {
    entries,
    exceptions,
    answers: more.answers,
    masking: more.masking,
    limit: more.limit ?? { maxBytes: Infinity, onExceeded: () => {} },
    onDecision: (decision: NetworkDecision) => {
      decisions.push(decision)
      more.onDecision?.()
    },
    lookup: async (name: string) => {
      lookups.push(name)
      return more.lookup ? await more.lookup(name) : (NAMES[name] ?? [])
    },
  }
  const egress = new Egress(options, { ...DEFAULT_TIMEOUTS, ...more.patience })
  onTestFinished(() => egress.close())
  const openPort = async (kind: 'proxy' | 'direct', port: number, host?: string) => {
    const server = createServer()
    const at = await listen(server, host)
    egress.serve({ kind, port }, server)
    return at
  }
  return { egress, decisions, lookups, openPort, proxy: await openPort('proxy', 0) }
}

/** Sends bytes and returns everything received until the peer closes. */
export async function sendAndReadAll(port: number, bytes: string | Buffer, host = '127.0.0.1') {
  const socket = connect({ port, host, allowHalfOpen: true })
  let said = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => (said += String(chunk)))
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  await new Promise<void>((resolve) => {
    socket.on('end', resolve)
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
  })
  socket.destroy()
  return said
}

/** Opens a connection for several messages. */
export async function openClient(port: number, host = '127.0.0.1') {
  const socket = connect({ port, host })
  onTestFinished(() => void socket.destroy())
  let said = ''
  let ended = false
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => (said += String(chunk)))
  socket.on('error', () => {})
  socket.on('close', () => (ended = true))
  await once(socket, 'connect')
  return {
    socket,
    /** Resolves with everything received once it contains this text or the peer closes. */
    send: async (bytes: string | Buffer, until: string) => {
      socket.write(bytes)
      await expect.poll(() => ended || said.includes(until), { timeout: 10_000 }).toBe(true)
      return said
    },
  }
}

/** Builds the first message of a TLS client with these server names. */
export function clientHello(names: readonly string[]): Buffer {
  const list = Buffer.concat(
    names.map((name) =>
      Buffer.concat([Buffer.from([0, ...encodeUint16(name.length)]), Buffer.from(name)]),
    ),
  )
  const extension = Buffer.concat([
    Buffer.from([0, 0, ...encodeUint16(list.length + 2), ...encodeUint16(list.length)]),
    list,
  ])
  const extensions = names.length === 0 ? Buffer.from([0, 23, 0, 0]) : extension
  const hello = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0, ...encodeUint16(extensions.length)]),
    extensions,
  ])
  const message = Buffer.concat([Buffer.from([1, 0, ...encodeUint16(hello.length)]), hello])
  return Buffer.concat([Buffer.from([0x16, 3, 1, ...encodeUint16(message.length)]), message])
}

function encodeUint16(value: number): [number, number] {
  return [value >> 8, value & 0xff]
}
