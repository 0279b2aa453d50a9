import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkRefusal } from './decision.ts'
import { parseDestination, type NetworkDestination } from './destination.ts'
import type { EgressFilter } from './egress-filter.ts'
import type { ConnectTunnel } from './http-proxy.ts'
import type { MaskingProxy } from './masking/masking-proxy.ts'
import type { MaskedConnection } from './masking/relay-parts.ts'
import {
  sendTlsAlert,
  readFirstMessage,
  spliceStreams,
  type FirstMessage,
  type EgressTimeouts,
} from './tunnel.ts'

const NOT_TLS: NetworkRefusal = {
  reason: 'not-tls',
  message: 'Something other than TLS was sent to a destination that is listed with https',
}

/** A direct connection of code without proxy support. */
interface DirectConnection {
  client: Socket
  port: number
  /** The name that the local address represents. */
  name: string | undefined
  first: Buffer
}

/** Passes TLS through to the host that its handshake names, without decrypting it. */
export class TlsProxy {
  #filter: EgressFilter
  #headMs: number
  #masking: MaskingProxy | undefined

  constructor(filter: EgressFilter, { headMs }: EgressTimeouts, masking?: MaskingProxy) {
    this.#filter = filter
    this.#masking = masking
    this.#headMs = headMs
  }

  /** Takes ownership of a tunnel, which must carry TLS for the tunnel's own destination. */
  async acceptTunnel({ client, upstream, destination, head }: ConnectTunnel): Promise<void> {
    const end = () => upstream.destroy()
    client.once('close', end)
    const hello = await readFirstMessage(client, head, this.#headMs)
    if (!hello) return void client.destroy()
    const refusal = findHandshakeRefusal(hello, destination)
    if (refusal) {
      this.#filter.reportRefusal('proxy', refusal, destination)
      upstream.destroy()
      return refuseClient(client, refusal)
    }
    client.off('close', end)
    this.#pass({ client, upstream, destination, via: 'proxy', hello })
  }

  /** Takes ownership of a connection whose destination is known only from its handshake. */
  async acceptDirect({ client, port, name, first }: DirectConnection): Promise<void> {
    const hello = await readFirstMessage(client, first, this.#headMs)
    if (!hello) return void client.destroy()
    const host = name ?? hello.serverName ?? client.localAddress ?? ''
    const requested = parseDestination('https', `${host}:${port}`)
    if ('reason' in requested)
      return refuseClient(client, this.#filter.reportRefusal('direct', requested))
    const refusal = findHandshakeRefusal(hello, requested)
    if (refusal)
      return refuseClient(client, this.#filter.reportRefusal('direct', refusal, requested))
    const upstream = await this.#filter.connect('direct', requested)
    if ('reason' in upstream || 'unreachable' in upstream) return sendTlsAlert(client)
    if (client.destroyed) return void upstream.destroy()
    this.#pass({ client, upstream, destination: requested, via: 'direct', hello })
  }

  /** Only connections to a host that gets a secret are decrypted. */
  #pass(connection: MaskedConnection): void {
    const { client, upstream, destination, hello } = connection
    const isMasked = (this.#filter.maskFor(destination)?.secrets.length ?? 0) > 0
    if (this.#masking && isMasked) return void this.#masking.accept(connection)
    spliceStreams(client, upstream, hello.bytes)
  }
}

function refuseClient(client: Duplex, { reason }: NetworkRefusal): void {
  if (reason === 'not-tls') client.destroy()
  else sendTlsAlert(client)
}

/** The handshake must name the host; it names none for an IP address. */
function findHandshakeRefusal(
  { isTls, serverName }: FirstMessage,
  { host }: NetworkDestination,
): NetworkRefusal | undefined {
  if (!isTls) return NOT_TLS
  if (isIP(host) !== 0 && serverName === undefined) return undefined
  const named = serverName === undefined ? undefined : parseDestination('https', serverName)
  const hasPort = serverName?.includes(':') ?? false
  if (named && 'host' in named && named.host === host && !hasPort) return undefined
  const message = `The TLS handshake names another host than ${host}`
  return { reason: 'name-mismatch', message }
}
