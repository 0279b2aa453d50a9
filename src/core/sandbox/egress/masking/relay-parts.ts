import type { TLSSocket } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { AllowedProblem, NetworkDecision, NetworkRefusal } from '../decision.ts'
import type { NetworkDestination } from '../destination.ts'
import type { FirstMessage } from '../tunnel.ts'
import type { RequestMask, UnplacedStandIn } from './request-mask.ts'

type RelayVia = NetworkDecision['via']

/** The parts of the filter of a run that its relays need. */
export interface RelayFilter {
  reportRefusal(via: RelayVia, refusal: NetworkRefusal, at?: NetworkDestination): NetworkRefusal
  reportUnreachable(via: RelayVia, destination: NetworkDestination, problem: string): void
  reportAllowed(
    via: RelayVia,
    destination: NetworkDestination,
    found: { reason: AllowedProblem; message: string },
  ): void
  /** Counts decrypted bytes of the run; false if they exceed its limit. */
  countBytes(bytes: number): boolean
}

/** A connection of the run to a host that gets a secret. */
export interface MaskedConnection {
  client: Duplex
  upstream: Duplex
  destination: NetworkDestination
  via: RelayVia
  hello: FirstMessage
}

/** A connection of which both ends are decrypted, for one of the relays. */
export interface DecryptedConnection {
  client: TLSSocket
  upstream: TLSSocket
  destination: NetworkDestination
  via: RelayVia
  mask: RequestMask
  onUnplaced: (found: UnplacedStandIn) => void
  /** Counts the streams of HTTP/2 of all connections of the run. */
  streams: { open: number }
}
