import type { Socket } from 'node:net'
import type { NetworkEntry } from '../../skills/manifest/network-entry.ts'
import type { ByteMeter } from './byte-meter.ts'
import type { NetworkDecision, NetworkRefusal } from './decision.ts'
import {
  bracketHost,
  parseDestination,
  findListRefusal,
  type NetworkDestination,
} from './destination.ts'
import { MeteredSocket } from './metered-socket.ts'
import type { PrivateExceptions } from './private-exceptions.ts'
import { Resolver, type HostLookup } from './resolver.ts'

const CONNECT_MS = 10_000
const MAX_ADDRESSES = 4
const MAX_CONNECTIONS = 128

/** Policy and observers of one run. */
export interface EgressFilterOptions {
  /** Destinations that the run may reach. */
  entries: readonly NetworkEntry[]
  exceptions: PrivateExceptions
  /** Called for every attempt. */
  onDecision: (decision: NetworkDecision) => void
  /** Defaults to the host's resolver. */
  lookup?: HostLookup | undefined
}

type NetworkVia = NetworkDecision['via']

/** A name that is not resolved. */
interface RefusedName {
  refusal: NetworkRefusal
  destination: Partial<NetworkDestination> | undefined
}

/**
 * Decides on every attempt of one run, connects to the checked address and reports the decision.
 */
export class EgressFilter {
  #options: EgressFilterOptions
  #resolver: Resolver
  #meter: ByteMeter
  #openSockets = new Set<Socket>()
  #pending = 0
  #closed = false

  constructor(options: EgressFilterOptions, meter: ByteMeter) {
    this.#options = options
    this.#meter = meter
    this.#resolver = new Resolver(options.exceptions, options.lookup)
  }

  /** Reports a refused attempt and returns the refusal. */
  reportRefusal(
    via: NetworkVia,
    refusal: NetworkRefusal,
    destination?: Partial<NetworkDestination>,
  ): NetworkRefusal {
    const { host = null, port = null, scheme = null } = destination ?? {}
    this.#options.onDecision({ allowed: false, ...refusal, host, port, scheme, via })
    return refusal
  }

  /** Connects to a destination if the list allows it. */
  async connect(
    via: NetworkVia,
    destination: NetworkDestination,
  ): Promise<Socket | NetworkRefusal | { unreachable: string }> {
    const unlisted = findListRefusal(this.#options.entries, destination)
    if (unlisted) return this.reportRefusal(via, unlisted, destination)
    if (this.#pending + this.#openSockets.size >= MAX_CONNECTIONS) {
      const message = `More than ${MAX_CONNECTIONS} connections are open at once`
      return this.reportRefusal(via, { reason: 'too-many', message }, destination)
    }
    this.#pending += 1
    try {
      return await this.#connectToListed(via, destination)
    } finally {
      this.#pending -= 1
    }
  }

  async #connectToListed(
    via: NetworkVia,
    destination: NetworkDestination,
  ): Promise<Socket | NetworkRefusal | { unreachable: string }> {
    const addresses = await this.#resolver.resolve(destination.host, destination.port)
    if ('reason' in addresses) return this.reportRefusal(via, addresses, destination)
    const url = `${destination.scheme}://${bracketHost(destination.host)}:${destination.port}`
    let problem = 'the run has ended'
    for (const address of addresses.slice(0, MAX_ADDRESSES)) {
      if (this.#closed) break
      try {
        const socket = await this.#openSocket(address, destination.port)
        const message = `${url} is in permissions.network`
        this.#reportDecision({
          allowed: true,
          reason: 'listed',
          message,
          ...destination,
          via,
          address,
        })
        return socket
      } catch (error) {
        problem = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      }
    }
    const message = `${url} is in permissions.network, but the connection failed: ${problem}`
    this.#reportDecision({ allowed: true, reason: 'unreachable', message, ...destination, via })
    return { unreachable: message }
  }

  /** Checks whether a name may be resolved; undefined if a connection to it could be allowed. */
  async checkName(name: string): Promise<RefusedName | undefined> {
    const destination = parseDestination('https', name)
    if ('reason' in destination) return { refusal: destination, destination: undefined }
    if (destination.host !== name) {
      const refusal: NetworkRefusal = {
        reason: 'malformed',
        message: `"${name}" is not a plain host name`,
      }
      return { refusal, destination: undefined }
    }
    const { entries } = this.#options
    const ports = entries
      .filter(({ scheme, port }) => !findListRefusal(entries, { ...destination, scheme, port }))
      .map(({ port }) => port)
    if (ports.length === 0) {
      const message = `${destination.host} is not in permissions.network`
      return {
        refusal: { reason: 'host-not-listed', message },
        destination: { host: destination.host },
      }
    }
    const answers = await Promise.all(
      ports.map((port) => this.#resolver.resolve(destination.host, port)),
    )
    const refusals = answers.flatMap((answer) => ('reason' in answer ? [answer] : []))
    const [first] = refusals
    if (!first || refusals.length < answers.length) return undefined
    return { refusal: first, destination: { host: destination.host } }
  }

  /** Closes every connection and opens no more. */
  close(): void {
    this.#closed = true
    this.#resolver.close()
    for (const socket of this.#openSockets) socket.destroy()
  }

  #reportDecision(decision: NetworkDecision): void {
    this.#options.onDecision(decision)
  }

  #openSocket(address: string, port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = new MeteredSocket(this.#meter)
      socket.connect({ host: address, port, autoSelectFamily: false })
      this.#openSockets.add(socket)
      const timer = setTimeout(
        () => socket.destroy(new Error('the connection timed out')),
        CONNECT_MS,
      )
      socket.once('close', () => {
        clearTimeout(timer)
        this.#openSockets.delete(socket)
        reject(new Error('the run has ended'))
      })
      // Also handles errors after the connection: without a listener, they would end this process.
      socket.on('error', reject)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(socket)
      })
    })
  }
}
