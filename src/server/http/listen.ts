import {
  createServer,
  type RequestListener,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { SkillsError } from '../../errors.ts'
import { createApp } from './app.ts'
import { watchConnections, type Connections } from './connections.ts'
import { findAmbiguity } from './find-ambiguity.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { createRpcFastPath } from '../fast-path/rpc-fast-path.ts'
import type { ServerContext } from '../server-context.ts'
import { readFileSync } from 'node:fs'
import { renderErrorBody } from './error-response.ts'
import { JSON_HEADERS } from '../rpc/rpc-answer.ts'

interface ListenOptions {
  host: string
  /** 0 selects a free port. */
  port: number
}

interface ListeningServer {
  readonly url: string
  readonly port: number
  /** Stops accepting connections. Resolves when the last response is sent or the time is up. */
  close(graceMs: number): Promise<void>
}

const KEEP_ALIVE_MS = 5000
const IDLE_CHECK_MS = 50
const MAX_HEADER_BYTES = 16 * 1024
/** Interval of TCP keep-alive probes, which detect clients that vanished. */
const KEEP_ALIVE_PROBE_MS = 15_000

/** Binds the port. */
export async function listen(
  context: ServerContext,
  { host, port }: ListenOptions,
): Promise<ListeningServer> {
  const { bodyMs } = context.limits
  const general = createAppListener(context)
  const listener = context.runtime.fastPaths ? createRpcFastPath(context, general) : general
  const onRequest: RequestListener = (incoming, outgoing) => {
    // An open keep-alive connection would delay the shutdown.
    if (context.runQueue.isClosed) outgoing.shouldKeepAlive = false
    if (findAmbiguity(incoming) === undefined) listener(incoming, outgoing)
    else rejectUnroutable(context, incoming, outgoing)
  }
  const server = createServer(
    {
      headersTimeout: bodyMs,
      // Bodies have separate limits: a large blob may take long if data keeps arriving.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1000, bodyMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
      noDelay: true,
    },
    onRequest,
  )
  continueOnReading(server, onRequest)
  const connections = watchConnections(server, bodyMs)
  limitConnections(server, context.log)
  await bindPort(server, { host, port }, context.log)
  const { address, port: boundPort } = server.address() as AddressInfo
  const urlHost = address.includes(':') ? `[${address}]` : address
  return {
    url: `http://${urlHost}:${boundPort}`,
    port: boundPort,
    close: async (graceMs) => await closeServer(server, connections, graceMs),
  }
}

/** Creates a listener that passes requests to the Hono app. */
function createAppListener(context: ServerContext): (...pair: Parameters<RequestListener>) => void {
  // Errors here occur before the app, which handles its own errors.
  const listener = getRequestListener(createApp(context).fetch, { errorHandler: () => undefined })
  return (incoming, outgoing) => {
    void listener(incoming, outgoing).then(() => {
      if (!outgoing.headersSent && !outgoing.destroyed) {
        rejectUnroutable(context, incoming, outgoing)
      }
      return undefined
    })
  }
}

/** Throws if the port of an address cannot be bound. */
export async function tryPort(address: ListenOptions): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    const { host, port } = address
    server.once('error', (cause: NodeJS.ErrnoException) => reject(portError(cause, host, port)))
    server.listen({ host, port }, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

async function bindPort(
  server: Server,
  { host, port }: ListenOptions,
  log: RequestLog,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(portError(cause, host, port)))
    server.listen({ host, port }, resolve)
  })
  server.removeAllListeners('error')
  // For example too many open files. Existing connections are still served.
  server.on('error', (error) =>
    log.write('error', 'A connection was not accepted', { reason: String(error) }),
  )
}

// eslint-disable-next-line max-params -- the server, its connections and the grace period
async function closeServer(
  server: Server,
  connections: Connections,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  connections.closeIdle()
  // A keep-alive connection becomes idle after its response and can then be closed.
  const idle = setInterval(() => connections.closeIdle(), IDLE_CHECK_MS)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
  clearInterval(idle)
}

// eslint-disable-next-line max-params -- an error and the address it concerns
function portError(cause: NodeJS.ErrnoException, host: string, port: number): SkillsError {
  const location = `${host}:${port}`
  if (cause.code === 'EADDRINUSE') {
    return new SkillsError('serve/port', `The port ${port} of ${host} is in use`, {
      hint: `Stop the program that listens there, or use any free port: skills serve --port 0`,
      cause,
    })
  }
  if (cause.code === 'EACCES') {
    return new SkillsError('serve/port', `This user is not allowed to listen on ${location}`, {
      hint: 'Use a port above 1023: skills serve --port 8080',
      cause,
    })
  }
  return new SkillsError(
    'serve/port',
    `Cannot listen on ${location} (${cause.code ?? cause.message})`,
    {
      hint: 'Use an address of this machine: skills serve --host 127.0.0.1',
      cause,
    },
  )
}

/**
 * Sends `100 Continue` only when the body is read, so that a rejected client does not send it.
 * Without its body, the connection is closed, because the next bytes on it are ambiguous.
 */
function continueOnReading(server: Server, listener: RequestListener): void {
  server.on('checkContinue', (incoming, outgoing) => {
    const { shouldKeepAlive } = outgoing
    outgoing.shouldKeepAlive = false
    const onReader = (name: string | symbol) => {
      if (name !== 'data' && name !== 'readable') return
      incoming.off('newListener', onReader)
      if (outgoing.headersSent || outgoing.destroyed) return
      outgoing.shouldKeepAlive = shouldKeepAlive
      outgoing.writeContinue()
    }
    incoming.on('newListener', onReader)
    listener(incoming, outgoing)
  })
}

/** Descriptors for runs, stores and modules that are loaded later. */
const RESERVED_DESCRIPTORS = 256
/** A connection and the file that its request reads or writes. */
const DESCRIPTORS_PER_CONNECTION = 2
const LOG_INTERVAL_MS = 10_000

/**
 * Limits the connections, so that a flood of them leaves file descriptors for the calls of others.
 * Further connections are closed at once.
 */
function limitConnections(server: Server, log: RequestLog): void {
  const limit = readDescriptorLimit()
  if (limit === undefined) return
  const reserved = Math.min(RESERVED_DESCRIPTORS, Math.ceil(limit / 2))
  server.maxConnections = Math.floor((limit - reserved) / DESCRIPTORS_PER_CONNECTION)
  let lastLog = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - lastLog < LOG_INTERVAL_MS) return
    lastLog = now
    log.write('warn', 'Connections are not accepted', {
      reason: `${server.maxConnections} are open; ulimit -n is ${limit}`,
    })
  })
}

/** Returns the limit of open files of this process; undefined if it is unknown. */
function readDescriptorLimit(): number | undefined {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/**
 * Rejects a request that no route can handle: its Host and path form no URL, or contradict each
 * other.
 */
function rejectUnroutable(
  context: ServerContext,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method = '', url = '' } = incoming
  const reason = findAmbiguity(incoming) ?? describeBadAddress(incoming)
  const error = new SkillsError('rpc/invalid-request', `Invalid Request: ${reason}`, {
    data: { reason },
  })
  const status = error.outcome.http
  context.metrics.count('skills_http_requests_total', { route: 'unknown', status: String(status) })
  context.log.write('warn', `${method} ${url.slice(0, 100)}`, {
    status,
    error: error.code,
    reason: error.message,
  })
  const text = renderErrorBody(context.rpc, url, error)
  const size = Buffer.byteLength(text)
  // The body is not read, so the connection cannot be reused.
  outgoing.writeHead(status, { ...JSON_HEADERS, 'content-length': size, connection: 'close' })
  outgoing.end(text)
}

function describeBadAddress({ headers, url = '' }: IncomingMessage): string {
  const address = `${headers.host ?? ''}${url}`.slice(0, 100)
  return `"${address}" is not a valid request URL`
}
