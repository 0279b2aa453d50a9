import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { SkillsError } from '../../errors.ts'
import { answerUnreadable } from './answer-unreadable.ts'
import { createApp } from './app.ts'
import { watchConnections, type Connections } from './connections.ts'
import { doubtAbout } from './doubt-about.ts'
import { continueOnReading } from './expect-continue.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { quickRpc } from '../fast-path/quick-rpc.ts'
import type { ServerContext } from '../server-context.ts'

interface ListenOptions {
  host: string
  /** 0 takes any free one. */
  port: number
}

/** A server that answers. */
interface Listening {
  readonly url: string
  readonly port: number
  /** Takes no more connections; resolves when the last call is answered or the time is up. */
  close(graceMs: number): Promise<void>
}

const KEEP_ALIVE_MS = 5000
const IDLE_LOOK_MS = 50
const MAX_HEADER_BYTES = 16 * 1024
/** How soon a client that is gone without a word is noticed. */
const PROBE_MS = 15_000

/** Opens the port. */
export async function listen(
  services: ServerContext,
  { host, port }: ListenOptions,
): Promise<Listening> {
  const { bodyMs } = services.limits
  const general = throughApp(services)
  const listener = services.runtime.config.fastPaths ? quickRpc(services, general) : general
  const onRequest: RequestListener = (incoming, outgoing) => {
    // A kept connection would hold up the end.
    if (services.gate.isClosed) outgoing.shouldKeepAlive = false
    if (doubtAbout(incoming) === undefined) listener(incoming, outgoing)
    else answerUnreadable(services, incoming, outgoing)
  }
  const server = createServer(
    {
      headersTimeout: bodyMs,
      // Bodies have limits of their own: a large blob may take its time, a slow one may not.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1000, bodyMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      noDelay: true,
    },
    onRequest,
  )
  continueOnReading(server, onRequest)
  const connections = watchConnections(server, bodyMs)
  await open(server, { host, port }, services.log)
  const { address, port: taken } = server.address() as AddressInfo
  const shown = address.includes(':') ? `[${address}]` : address
  return {
    url: `http://${shown}:${taken}`,
    port: taken,
    close: async (graceMs) => await close(server, connections, graceMs),
  }
}

/** Hands a request to the app, as a request of the web's. */
function throughApp(services: ServerContext): (...pair: Parameters<RequestListener>) => void {
  // What is thrown here came before the app, which answers for its own errors.
  const listener = getRequestListener(createApp(services).fetch, { errorHandler: () => undefined })
  return (incoming, outgoing) => {
    void listener(incoming, outgoing).then(() => {
      if (!outgoing.headersSent && !outgoing.destroyed) {
        answerUnreadable(services, incoming, outgoing)
      }
      return undefined
    })
  }
}

async function open(server: Server, { host, port }: ListenOptions, log: RequestLog): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(portError(cause, host, port)))
    server.listen({ host, port }, resolve)
  })
  server.removeAllListeners('error')
  // Such as too many open files: those who are connected already are served all the same.
  server.on('error', (error) =>
    log.write('error', 'A connection was not accepted', { reason: String(error) }),
  )
}

// eslint-disable-next-line max-params -- a server, what it is connected to, and how long it may take
async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  connections.closeQuiet()
  // A connection that is kept alive goes quiet after its answer, and then nobody needs it.
  const idle = setInterval(() => connections.closeQuiet(), IDLE_LOOK_MS)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
  clearInterval(idle)
}

// eslint-disable-next-line max-params -- a cause and the place it speaks of
function portError(cause: NodeJS.ErrnoException, host: string, port: number): SkillsError {
  const place = `${host}:${port}`
  if (cause.code === 'EADDRINUSE') {
    return new SkillsError('serve/port', `The port ${port} of ${host} is in use`, {
      hint: `Stop what listens there, or take any free port: skills serve --port 0`,
      cause,
    })
  }
  if (cause.code === 'EACCES') {
    return new SkillsError('serve/port', `This user may not listen on ${place}`, {
      hint: 'Take a port above 1023: skills serve --port 8080',
      cause,
    })
  }
  return new SkillsError(
    'serve/port',
    `Cannot listen on ${place} (${cause.code ?? cause.message})`,
    {
      hint: 'Take an address of this machine: skills serve --host 127.0.0.1',
      cause,
    },
  )
}
