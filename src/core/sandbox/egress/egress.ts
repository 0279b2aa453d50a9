import type { Socket as DatagramSocket } from 'node:dgram'
import { isIP, type Server, type Socket } from 'node:net'
import type { EgressListener } from '../network.ts'
import { formatByteLimit } from '../../../util/quantity.ts'
import { ByteMeter, type ByteLimit } from './byte-meter.ts'
import type { NetworkDecision } from './decision.ts'
import { EgressFilter, type EgressFilterOptions } from './egress-filter.ts'
import { HttpProxy } from './http-proxy.ts'
import { NameServer } from './name-server.ts'
import { TlsProxy } from './tls-proxy.ts'
import { DEFAULT_TIMEOUTS, type EgressTimeouts } from './tunnel.ts'

const TLS_RECORD = 0x16
const PROXY_PORT = 3128
const MAX_CONNECTIONS = 128
/** Refusals after which the run loses its network; that many are not accidental. */
const MAX_REFUSALS = 4096

/** Policy, observers and limit of one run. */
export interface EgressOptions extends EgressFilterOptions {
  /** `onExceeded` is called when all connections are closed. */
  limit: ByteLimit
}

/** Egress of one run: serves the sockets that were bound in its network namespace. */
export class Egress {
  /** Sockets to bind inside the sandbox. */
  readonly listeners: readonly EgressListener[]
  /** Listed IPv4 addresses that the sandbox must assign to its loopback interface. */
  readonly addresses: readonly string[]
  #meter: ByteMeter
  #filter: EgressFilter
  #http: HttpProxy
  #tls: TlsProxy
  #names: NameServer
  #onDecision: (decision: NetworkDecision) => void
  #servers: (Server | DatagramSocket)[] = []
  #clients = new Set<Socket>()
  #timeouts: EgressTimeouts
  #refusals = 0
  #closed = false

  constructor({ limit, ...options }: EgressOptions, timeouts = DEFAULT_TIMEOUTS) {
    this.#timeouts = timeouts
    this.#onDecision = options.onDecision
    this.#meter = new ByteMeter({ ...limit, onExceeded: () => this.#cutOff(limit) })
    this.#filter = new EgressFilter(
      { ...options, onDecision: (decision) => this.#countDecision(decision) },
      this.#meter,
    )
    // Answers have the values put in before they are looked up or recorded.
    const masking = options.answers ? undefined : options.masking?.openProxy(this.#filter, timeouts)
    this.#tls = new TlsProxy(this.#filter, timeouts, masking)
    this.#http = new HttpProxy(
      this.#filter,
      timeouts,
      (tunnel) => void this.#tls.acceptTunnel(tunnel),
    )
    this.#names = new NameServer(this.#filter, this.#meter)
    const ports = [...new Set(options.entries.map(({ port }) => port))]
    const hosts = new Set(options.entries.map(({ host }) => host))
    this.addresses = [...hosts].filter((host) => isIP(host) === 4 && !host.startsWith('127.'))
    let proxy = PROXY_PORT
    while (ports.includes(proxy)) proxy++
    this.listeners = [
      { kind: 'proxy', port: proxy },
      { kind: 'names', port: 53 },
      ...ports.map((port) => ({ kind: 'direct' as const, port })),
    ]
  }

  /** URL of the proxy inside the sandbox. */
  get proxy(): string {
    return `http://127.0.0.1:${this.listeners[0]?.port}`
  }

  /** Bytes that the run has sent and received. */
  get bytes(): number {
    return this.#meter.bytes
  }

  /** Serves a socket from inside the sandbox; closes it if the run has ended. */
  serve({ kind, port }: EgressListener, server: Server | DatagramSocket): void {
    server.on('error', () => {})
    if (this.#closed) return void server.close()
    this.#servers.push(server)
    if (!('listening' in server)) return this.#names.serve(server)
    Object.assign(server, { allowHalfOpen: true })
    server.on('connection', (client) => this.#accept(client, { kind, port }))
  }

  /** Closes every connection. Safe to call twice. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const server of this.#servers) server.close()
    for (const client of this.#clients) client.destroy()
    this.#filter.close()
  }

  #cutOff({ maxBytes, onExceeded }: ByteLimit): void {
    const message = `The run sent and received more than ${formatByteLimit(maxBytes)}: it has no network from now on`
    this.#filter.reportRefusal('proxy', { reason: 'too-many-bytes', message })
    this.close()
    onExceeded()
  }

  #countDecision(decision: NetworkDecision): void {
    // Connections that are cut off by the end of the run are not attempts.
    if (this.#closed) return
    this.#reportDecision(decision)
    if (decision.allowed) return
    this.#refusals += 1
    if (this.#refusals < MAX_REFUSALS) return
    const message = `More than ${MAX_REFUSALS} attempts were refused: the run has no network from now on`
    this.#reportDecision({ ...decision, reason: 'too-many', message })
    this.close()
  }

  /**
   * If decisions cannot be recorded, the run loses its network. An error here must not end this
   * process.
   */
  #reportDecision(decision: NetworkDecision): void {
    try {
      this.#onDecision(decision)
    } catch {
      this.close()
    }
  }

  #accept(client: Socket, { kind, port }: EgressListener): void {
    client.on('error', () => client.destroy())
    if (this.#clients.size >= MAX_CONNECTIONS) {
      client.destroy()
      const message = `More than ${MAX_CONNECTIONS} connections are open at once`
      this.#filter.reportRefusal(kind === 'proxy' ? 'proxy' : 'direct', {
        reason: 'too-many',
        message,
      })
      return
    }
    this.#clients.add(client)
    client.on('close', () => this.#clients.delete(client))
    client.setTimeout(this.#timeouts.idleMs, () => client.destroy())
    client.setNoDelay(true)
    if (kind === 'proxy') this.#http.acceptConnection(client, { via: 'proxy' })
    else this.#detectProtocol(client, port)
  }

  /** The first byte distinguishes TLS from HTTP. */
  #detectProtocol(client: Socket, port: number): void {
    const timer = setTimeout(() => client.destroy(), this.#timeouts.headMs).unref()
    const end = () => void client.destroy()
    client.once('close', () => clearTimeout(timer))
    client.once('end', end)
    client.once('data', (first: Buffer) => {
      clearTimeout(timer)
      client.off('end', end)
      client.pause()
      const name = this.#names.resolveName(client.localAddress ?? '')
      if (first[0] === TLS_RECORD) {
        return void this.#tls.acceptDirect({ client, port, name, first })
      }
      client.unshift(first)
      this.#http.acceptConnection(client, { via: 'direct', port, name })
      client.resume()
    })
  }
}
