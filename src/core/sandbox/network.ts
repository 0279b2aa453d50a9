import type { Socket } from 'node:dgram'
import type { Server } from 'node:net'

/** A socket that the guest binds before any skill code runs. */
export interface EgressListener {
  /**
   * `proxy`: the HTTP proxy. `direct`: a listed port, for code without proxy support. `names`: DNS.
   * `datagrams`: UDP on all addresses.
   */
  kind: 'proxy' | 'direct' | 'names' | 'datagrams'
  port: number
}

/** Egress of one run, for backends that filter the network. */
export interface SandboxNetwork {
  readonly listeners: readonly EgressListener[]
  /** IPv4 addresses that must be reachable without a proxy. */
  readonly addresses: readonly string[]
  /**
   * True if every IPv4 address is one of the sandbox itself, so that its own sockets answer for all
   * hosts. Only `core/trials` sets it.
   */
  readonly ownsEveryAddress?: true
  /** Path of the host's CA bundle. */
  readonly certificates: string | undefined
  /** Certificate of an authority that programs trust besides these, as PEM. */
  readonly authority?: string | undefined
  /** Serves a socket of the sandbox on the host's side. */
  serve(listener: EgressListener, socket: Server | Socket): void
  /** Reports a socket or address that the guest could not bind; nothing listens there. */
  reportUnbound(what: string): void
  /** Closes every connection. Safe to call twice. */
  close(): void
}

/** Path of the CA bundle inside. */
export const CA_BUNDLE_PATH = '/etc/ssl/certs/ca-certificates.crt'
/** The same certificates for Java, of a run with an authority of its own. */
export const JAVA_TRUST_PATH = '/etc/ssl/certs/java-trust.jks'
