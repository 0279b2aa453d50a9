import type { Socket } from 'node:dgram'
import type { Server } from 'node:net'

/** A socket that has to be bound inside a sandbox before anything of a skill runs there. */
export interface EgressListener {
  /** The proxy, a port of the list for code that knows no proxy, or questions for addresses. */
  kind: 'proxy' | 'direct' | 'names'
  port: number
}

/** The way out of one run, for a backend that can hold a run to it. */
export interface SandboxNetwork {
  readonly listeners: readonly EgressListener[]
  /** IPv4 addresses that are to be reached without a proxy. */
  readonly addresses: readonly string[]
  /** The host's certificates of authorities, as a file. */
  readonly certificates: string | undefined
  /** Serves a socket of the sandbox from the host's side. */
  serve(listener: EgressListener, socket: Server | Socket): void
  /** Is told of what the guest could not bind: what it would have served stays closed. */
  reportUnbound(what: string): void
  /** Ends every connection; safe to call twice. */
  close(): void
}

/** Where the certificates are inside. */
export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
