import { connect as connectTls, TLSSocket, type SecureContext } from 'node:tls'
import { isIP, type Socket } from 'node:net'
import type { CertificateAuthority } from '../answers/certificate-authority.ts'
import type { NetworkDestination } from '../destination.ts'
import { writeRawRefusal } from '../refusals.ts'
import { openTrust } from '../trust.ts'
import { sendTlsAlert, type EgressTimeouts } from '../tunnel.ts'
import { HttpRelay } from './http-relay.ts'
import type { DecryptedConnection, MaskedConnection, RelayFilter } from './relay-parts.ts'
import type { RequestMask, UnplacedStandIn } from './request-mask.ts'

interface MaskingParts {
  filter: RelayFilter
  /** Issues the certificates that the run trusts for these hosts. */
  authority: CertificateAuthority
  /** PEM of the authorities that these hosts are checked against; those of Node if undefined. */
  certificates: string | undefined
  timeouts: EgressTimeouts
  maskFor: (destination: NetworkDestination) => RequestMask
}

/** A host to which the run has had a connection. */
interface KnownHost {
  choosesHttp2?: boolean
  /** The next connection resumes it. */
  session?: Buffer
}

const HANDSHAKE_MS = 15_000

/** Terminates TLS for the hosts that get a secret, so that values replace stand-ins on the way. */
export class MaskingProxy {
  readonly #parts: MaskingParts
  readonly #http: HttpRelay
  readonly #streams = { open: 0 }
  /** By host and port. The authority limits the number of hosts. */
  readonly #known = new Map<string, KnownHost>()

  constructor(parts: MaskingParts) {
    this.#parts = parts
    this.#http = new HttpRelay(parts.filter, parts.timeouts)
  }

  /** Takes ownership of a connection whose handshake has been checked. */
  async accept(connection: MaskedConnection): Promise<void> {
    const ends = await this.#secureEnds(connection)
    if (!ends) return
    const { client, upstream } = ends
    client.on('close', () => upstream.destroy())
    const { destination, via } = connection
    const decrypted: DecryptedConnection = {
      client,
      upstream,
      destination,
      via,
      mask: this.#parts.maskFor(destination),
      streams: this.#streams,
      onUnplaced: (found) => this.#reportUnplaced(connection, found),
    }
    if (upstream.alpnProtocol !== 'h2') return this.#http.accept(decrypted)
    // A session of HTTP/2 can begin only after the handshake.
    const handshake = new Promise((resolve) => client.once('secure', resolve))
    const { relayHttp2 } = await import('./http2-relay.ts')
    await handshake
    // Only a listening server sets this, and a session would wait for it.
    Object.assign(client, { secureConnecting: false })
    relayHttp2(this.#parts.filter, decrypted)
  }

  /** Performs the handshakes of both ends, at the same time if the server cannot choose HTTP/2. */
  async #secureEnds(
    connection: MaskedConnection,
  ): Promise<{ client: TLSSocket; upstream: TLSSocket } | undefined> {
    const { client, destination, hello } = connection
    let secured: TLSSocket | undefined
    try {
      const context = this.#parts.authority.createContext(destination.host)
      const known = this.#know(destination)
      const offersHttp2 = hello.protocols?.includes('h2') === true && known.choosesHttp2 !== false
      if (!offersHttp2) secured = this.#startClient(connection, context, 'http/1.1')
      const outer = secured ?? client
      const end = () => void connection.upstream.destroy()
      outer.once('close', end)
      const upstream = await this.#startUpstream(connection, known, offersHttp2)
      outer.off('close', end)
      if (outer.destroyed) return void upstream.destroy()
      if (offersHttp2) known.choosesHttp2 = upstream.alpnProtocol === 'h2'
      secured ??= this.#startClient(connection, context, known.choosesHttp2 ? 'h2' : 'http/1.1')
      return { client: secured, upstream }
    } catch (error) {
      // The client has refused the certificate, which is reported.
      if (secured?.destroyed) return undefined
      this.#refuse(connection, secured, `TLS: ${(error as Error).message}`)
      return undefined
    }
  }

  #know({ host, port }: NetworkDestination): KnownHost {
    const key = `${host}:${port}`
    const known = this.#known.get(key) ?? {}
    this.#known.set(key, known)
    return known
  }

  #refuse(
    { client, upstream, destination, via }: MaskedConnection,
    secured: TLSSocket | undefined,
    problem: string,
  ): void {
    this.#parts.filter.reportUnreachable(via, destination, problem)
    upstream.destroy()
    const message = `${destination.host}: ${problem}`
    if (secured) writeRawRefusal(secured, { reason: 'unreachable', message })
    else if (!client.destroyed) sendTlsAlert(client)
  }

  #startClient(
    connection: MaskedConnection,
    secureContext: SecureContext,
    protocol: string,
  ): TLSSocket {
    const { client, hello, upstream } = connection
    client.unshift(hello.bytes)
    const secured = new TLSSocket(client, {
      isServer: true,
      secureContext,
      ALPNProtocols: [protocol],
    })
    let isReported = false
    const note = () => {
      if (isReported || secured.bytesRead > 0 || upstream.destroyed) return
      isReported = true
      this.#reportUnused(connection)
    }
    // The first of them counts: a run that ends soon afterwards closes both connections.
    for (const event of ['error', 'end', 'close']) secured.on(event, note)
    secured.on('error', () => secured.destroy())
    // The handle belongs to the outer socket from now on, so that only it sees bytes pass.
    ;(client as Socket).setTimeout(0)
    secured.setTimeout(this.#parts.timeouts.idleMs, () => secured.destroy())
    return secured
  }

  async #startUpstream(
    { upstream: socket, destination: { host } }: MaskedConnection,
    known: KnownHost,
    offersHttp2: boolean,
  ): Promise<TLSSocket> {
    const upstream = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      secureContext: openTrust(this.#parts.certificates),
      ...(known.session && { session: known.session }),
      ALPNProtocols: offersHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    })
    upstream.on('session', (session: Buffer) => (known.session = session))
    return await waitForHandshake(upstream)
  }

  /** Some clients send an alert for a certificate that they do not trust, and others only end. */
  #reportUnused({ via, destination }: MaskedConnection): void {
    const names = this.#parts
      .maskFor(destination)
      .secrets.map(({ name }) => name)
      .join(', ')
    const message = `The client ended a connection to ${destination.host} without a request. The certificate there is of the run's own authority, because ${names} is put in on the way: let the client trust the file $SSL_CERT_FILE, or declare the secret without hosts if the client pins certificates`
    this.#parts.filter.reportAllowed(via, destination, { reason: 'authority-refused', message })
  }

  #reportUnplaced({ via, destination }: MaskedConnection, { secret, part }: UnplacedStandIn): void {
    const { name } = secret
    const message = `${name} stayed a stand-in in ${part} of a request to ${destination.host}: the skill does not list that place in permissions.secrets.${name}`
    this.#parts.filter.reportAllowed(via, destination, { reason: 'secret-not-placed', message })
  }
}

function waitForHandshake(socket: TLSSocket): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new Error('the handshake timed out')),
      HANDSHAKE_MS,
    ).unref()
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.off('close', close)
      resolve(socket)
    })
    const close = () => reject(new Error('the connection was closed'))
    socket.once('close', close)
    // Also handles later errors, which would end this process.
    socket.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
      socket.destroy()
    })
  })
}
