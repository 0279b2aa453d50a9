import type { RemoteInfo, Socket as DatagramSocket } from 'node:dgram'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { CertificateAuthority } from '../../sandbox/egress/answers/certificate-authority.ts'
import type { EgressListener, SandboxNetwork } from '../../sandbox/network.ts'
import type { ReceivedMessage, SinkConnection, SinkObserver } from './received-message.ts'
import { SinkHttp } from './sink-http.ts'
import { formatShellCommand, type ExecutionToken } from './plausible-answer.ts'
import { receiveText } from './receive-text.ts'
import { SinkNames } from './sink-names.ts'

const PROXY_PORT = 3128
const NAMES_PORT = 53
const TCP_PORTS = [
  21, 22, 23, 25, 80, 110, 143, 443, 465, 587, 993, 995, 1080, 1337, 2222, 3000, 3306, 4443, 4444,
  5000, 5432, 5555, 6379, 6667, 7777, 8000, 8008, 8080, 8081, 8443, 8888, 9000, 9001, 9090, 9200,
  9443, 9999, 11434, 27017, 31337,
]
const UDP_PORTS = [NAMES_PORT, 123, 514, 4444, 8125, 9999]
const MAX_CONNECTIONS = 128
/** Tunnels and TLS inside of each other. */
const MAX_DEPTH = 4
const MAX_BYTES = 32 * 1024 * 1024
const IDLE_MS = 10_000
const TLS_RECORD = 0x16
const HTTP_START = /^[A-Z]{3,16} /

export interface SinkOptions {
  token: ExecutionToken
  /** True to answer every request with a program. */
  answersWithScripts: boolean
  /** Ports that the skill's files name. */
  ports: readonly number[]
  observer: SinkObserver
}

/**
 * The network of a trial: this process answers every name and every connection of the sandbox. It has
 * no code that connects to anything, so that no bytes leave this machine.
 */
export class Sink implements SandboxNetwork {
  readonly listeners: readonly EgressListener[]
  readonly addresses: readonly string[] = []
  readonly ownsEveryAddress = true
  readonly certificates: string | undefined
  readonly authority: string
  readonly #authority = new CertificateAuthority()
  readonly #names = new SinkNames()
  readonly #observer: SinkObserver
  readonly #http: SinkHttp
  readonly #order: string
  readonly #servers: (Server | DatagramSocket)[] = []
  readonly #connections = new Set<Duplex>()
  #bytes = 0
  #isClosed = false

  constructor(
    { token, answersWithScripts, ports, observer }: SinkOptions,
    certificates: string | undefined,
  ) {
    this.certificates = certificates
    this.authority = this.#authority.certificate
    this.#observer = observer
    this.#order = formatShellCommand(token)
    this.#http = new SinkHttp({
      token,
      answersWithScripts,
      onMessage: (message) => this.#receive(message),
      onTunnel: (stream, connection) => this.#accept(stream, connection),
    })
    this.listeners = [
      { kind: 'proxy', port: PROXY_PORT },
      ...UDP_PORTS.map((port) => ({ kind: 'datagrams' as const, port })),
      ...[...new Set([...TCP_PORTS, ...ports])]
        .filter((port) => port !== PROXY_PORT)
        .map((port) => ({ kind: 'direct' as const, port })),
    ]
  }

  /** URL of the proxy, for clients of ports that no listener serves. */
  get proxy(): string {
    return `http://127.0.0.1:${PROXY_PORT}`
  }

  reportUnbound(what: string): void {
    if (what.startsWith('address ')) this.#names.hasOnlyLoopback = true
  }

  serve({ port }: EgressListener, server: Server | DatagramSocket): void {
    server.on('error', () => {})
    if (this.#isClosed) return void server.close()
    this.#servers.push(server)
    if (!('listening' in server)) {
      server.on('message', (message: Buffer, from: RemoteInfo) =>
        this.#receiveDatagram({ message, from, port }, server),
      )
      return
    }
    server.on('connection', (client: Socket) => {
      const address = client.localAddress ?? ''
      const host = this.#names.findName(address) ?? address
      if (port !== PROXY_PORT) this.#observer.onConnected(host, port)
      client.setTimeout(IDLE_MS, () => client.destroy())
      this.#accept(client, { hosts: [host], port, isEncrypted: false, depth: 0 })
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const server of this.#servers) server.close()
    for (const stream of this.#connections) stream.destroy()
  }

  /** Detects the protocol by the first bytes. */
  #accept(stream: Duplex, connection: SinkConnection): void {
    // Tunnels and TLS inside of each other listen to the same stream.
    stream.setMaxListeners(0)
    stream.on('error', () => stream.destroy())
    const isFull = this.#connections.size >= MAX_CONNECTIONS || connection.depth > MAX_DEPTH
    if (isFull || this.#isClosed) return void stream.destroy()
    this.#connections.add(stream)
    stream.once('close', () => this.#connections.delete(stream))
    const text = receiveText(connection, {
      onMessage: (message) => this.#receive(message),
      order: this.#order,
      onOrder: (host) => this.#observer.onOrder(host),
    })
    const greeting = text.greetLater(stream)
    stream.once('data', (first: Buffer) => {
      clearTimeout(greeting)
      stream.pause()
      stream.unshift(first)
      if (first[0] === TLS_RECORD) this.#startTls(stream, connection)
      else if (HTTP_START.test(first.toString('latin1', 0, 20)))
        this.#http.accept(stream, connection)
      else text.accept(stream)
    })
  }

  #startTls(stream: Duplex, connection: SinkConnection): void {
    const [host = ''] = connection.hosts
    try {
      const secured = new TLSSocket(stream, {
        isServer: true,
        secureContext: this.#authority.createContext(host),
        SNICallback: (name, done) => this.#selectCertificate(name, done),
        ALPNProtocols: ['http/1.1', 'http/1.0'],
      })
      secured.on('error', () => stream.destroy())
      secured.once('secure', () => {
        const { servername } = secured as { servername?: string | false }
        const hosts = servername ? [servername, ...connection.hosts] : connection.hosts
        const depth = connection.depth + 1
        this.#accept(secured, { ...connection, hosts, isEncrypted: true, depth })
      })
    } catch {
      stream.destroy()
    }
  }

  #selectCertificate(
    name: string,
    done: (
      error: Error | null,
      context?: ReturnType<CertificateAuthority['createContext']>,
    ) => void,
  ): void {
    try {
      done(null, this.#authority.createContext(name))
    } catch (error) {
      done(error as Error)
    }
  }

  #receiveDatagram(
    { message, from, port }: { message: Buffer; from: RemoteInfo; port: number },
    socket: DatagramSocket,
  ): void {
    const name = port === NAMES_PORT ? this.#names.answer(message, from, socket) : undefined
    if (name !== undefined) {
      this.#observer.onResolved(name)
      const bytes = Buffer.from(name, 'latin1')
      return this.#receive({ protocol: 'dns', hosts: [name], port, summary: '', bytes })
    }
    // A datagram carries no destination here: only this network's own addresses exist.
    const hosts = ['an address by UDP']
    this.#receive({ protocol: 'udp', hosts, port, summary: '', bytes: message })
  }

  #receive(message: ReceivedMessage): void {
    if (this.#isClosed) return
    this.#bytes += message.bytes.length
    if (this.#bytes > MAX_BYTES) return this.close()
    this.#observer.onMessage(message)
  }
}
