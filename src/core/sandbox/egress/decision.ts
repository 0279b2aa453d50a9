/** Why an attempt was let through or refused. */
export type NetworkReason =
  | 'listed'
  /** Allowed, but nobody answered there. */
  | 'unreachable'
  | 'host-not-listed'
  | 'port-not-listed'
  | 'scheme-not-listed'
  | 'malformed'
  | 'unresolved'
  | SpecialAddressReason
  /** Something else than TLS was sent to a destination that is listed with https. */
  | 'not-tls'
  /** The name in the handshake or the Host header is not the one that was asked for. */
  | 'name-mismatch'
  | 'request-refused'
  | 'too-many'

export type SpecialAddressReason =
  | 'loopback-address'
  | 'private-address'
  | 'link-local-address'
  | 'metadata-address'
  | 'special-address'

/** What became of one attempt to reach the network; it stands in the run's record and logs. */
export interface NetworkDecision {
  allowed: boolean
  reason: NetworkReason
  /** The reason for people and models. */
  message: string
  /** As it was asked for; null where that could not be read. */
  host: string | null
  port: number | null
  scheme: 'http' | 'https' | null
  /** By the proxy, by a connection of code that knows no proxy, or as a question for an address. */
  via: 'proxy' | 'direct' | 'dns'
  /** The address that was connected to. */
  address?: string
}

/** A refusal before it is known how the attempt was made. */
export interface NetworkRefusal {
  reason: Exclude<NetworkReason, 'listed' | 'unreachable'>
  message: string
}
