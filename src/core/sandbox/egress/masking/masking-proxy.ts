import { connect as connectTls, TLSSocket } from 'node:tls'
import { isIP, type Socket } from 'node:net'
import type { CertificateAuthority } from '../answers/certificate-authority.ts'
import type { NetworkDestination } from '../destination.ts'
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

const HANDSHAKE_MS = 15_000

/** Terminates TLS for the hosts that get a secret, so that values replace stand-ins on the way. */
export class MaskingProxy {
  readonly #parts: MaskingParts
  readonly #http: HttpRelay
  readonly #streams = { open: 0 }

  constructor(parts: MaskingParts) {
    this.#parts = parts
    this.#http = new HttpRelay(parts.filter, parts.timeouts)
  }

  /** Takes ownership of a connection whose handshake has been checked. */
  async accept(connection: MaskedConnection): Promise<void> {
    const { client, destination, via, hello } = connection
    const { filter, maskFor } = this.#parts
    const fail = (error: Error) => {
      filter.reportUnreachable(via, destination, `TLS: ${error.message}`)
      connection.upstream.destroy()
      if (!client.destroyed) sendTlsAlert(client)
    }
    const end = () => void connection.upstream.destroy()
    client.once('close', end)
    let upstream: TLSSocket
    try {
      upstream = await this.#startUpstream(
        connection.upstream as Socket,
        destination,
        hello.protocols,
      )
    } catch (error) {
      return fail(error as Error)
    }
    client.off('close', end)
    if (client.destroyed) return void upstream.destroy()
    const isSecond = upstream.alpnProtocol === 'h2'
    const secured = this.#startClient(connection, isSecond ? 'h2' : 'http/1.1')
    secured.on('error', () => secured.destroy())
    secured.on('close', () => {
      if (secured.bytesRead === 0 && !upstream.destroyed) this.#reportUnused(connection)
      upstream.destroy()
    })
    const decrypted: DecryptedConnection = {
      client: secured,
      upstream,
      destination,
      via,
      mask: maskFor(destination),
      streams: this.#streams,
      onUnplaced: (found) => this.#reportUnplaced(connection, found),
    }
    if (!isSecond) return this.#http.accept(decrypted)
    // A session of HTTP/2 can begin only after the handshake.
    const handshake = new Promise((resolve) => secured.once('secure', resolve))
    const { relayHttp2 } = await import('./http2-relay.ts')
    await handshake
    // Only a listening server sets this, and a session would wait for it.
    Object.assign(secured, { secureConnecting: false })
    relayHttp2(filter, decrypted)
  }

  #startClient({ client, destination, hello }: MaskedConnection, protocol: string): TLSSocket {
    client.unshift(hello.bytes)
    const secured = new TLSSocket(client, {
      isServer: true,
      secureContext: this.#parts.authority.createContext(destination.host),
      ALPNProtocols: [protocol],
    })
    // The handle belongs to the outer socket from now on, so that only it sees bytes pass.
    ;(client as Socket).setTimeout(0)
    secured.setTimeout(this.#parts.timeouts.idleMs, () => secured.destroy())
    return secured
  }

  async #startUpstream(
    socket: Socket,
    { host }: NetworkDestination,
    offered: readonly string[] | undefined,
  ): Promise<TLSSocket> {
    const { certificates } = this.#parts
    const protocols = ['h2', 'http/1.1'].filter(
      (each) => each === 'http/1.1' || offered?.includes(each),
    )
    const upstream = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(certificates !== undefined && { ca: certificates }),
      ALPNProtocols: protocols,
    })
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
