/** Reason for which an attempt was allowed or refused. */
export type NetworkReason =
  | 'listed'
  /** Allowed, but the connection failed. */
  | 'unreachable'
  | 'host-not-listed'
  | 'port-not-listed'
  | 'scheme-not-listed'
  | 'malformed'
  | 'unresolved'
  | SpecialAddressReason
  /** The client sent something other than TLS to a destination that is listed with https. */
  | 'not-tls'
  /** The name in the handshake or the Host header differs from the requested one. */
  | 'name-mismatch'
  | 'request-refused'
  /** The stand-in of a secret was sent to a host that does not get its value. */
  | 'secret-elsewhere'
  /** Allowed, but a stand-in is in a part of the request into which no value is put. */
  | 'secret-not-placed'
  /** Allowed, but the client sent no request: it may not trust the authority of the run. */
  | 'authority-refused'
  | 'too-many'
  /** The run sent and received more bytes than its limit allows. */
  | 'too-many-bytes'

export type SpecialAddressReason =
  | 'loopback-address'
  | 'private-address'
  | 'link-local-address'
  | 'metadata-address'
  | 'special-address'
  /** An address of this machine that is neither private nor loopback. */
  | 'own-address'

/** Decision on one attempt to reach the network; part of the run record and logs. */
export interface NetworkDecision {
  allowed: boolean
  reason: NetworkReason
  /** The reason, for people and models. */
  message: string
  /** As requested; null if it could not be parsed. */
  host: string | null
  port: number | null
  scheme: 'http' | 'https' | null
  /** Through the proxy, by a direct connection of code without proxy support, or as a DNS query. */
  via: 'proxy' | 'direct' | 'dns'
  /** IP address of the connection. */
  address?: string
}

/** Reasons of attempts that were allowed and came to nothing, or not to what the code wants. */
export type AllowedProblem = 'unreachable' | 'secret-not-placed' | 'authority-refused'

/** A refusal, before it is known through which way the attempt came. */
export interface NetworkRefusal {
  reason: Exclude<NetworkReason, 'listed' | AllowedProblem>
  message: string
}
