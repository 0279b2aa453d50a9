/** Bytes that code of a trial sent to the sink. */
export interface ReceivedMessage {
  protocol: 'http' | 'https' | 'tcp' | 'tls' | 'udp' | 'dns'
  /** Every name of the destination: of the connection, the handshake and the Host header. */
  hosts: readonly string[]
  port: number
  /** Request line, for people; empty for other protocols. */
  summary: string
  /** Head and body, or the name of a DNS query. */
  bytes: Buffer
}

/** Receives the observations of a sink. */
export interface SinkObserver {
  onResolved(name: string): void
  onConnected(host: string, port: number): void
  /** A host sent a command to a client that waited for one. */
  onOrder(host: string): void
  onMessage(message: ReceivedMessage): void
}

/** A connection of a trial, with the names of its destination so far. */
export interface SinkConnection {
  hosts: readonly string[]
  port: number
  isEncrypted: boolean
  depth: number
}
