import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkEntry } from '../../skills/manifest/network-entry.ts'
import type { AnsweredNetwork } from './answers/answered-network.ts'
import type { AnswerableRequest, AnsweredResponse } from './answers/request-answerer.ts'
import type { ByteMeter } from './byte-meter.ts'
import type { AllowedProblem, NetworkDecision, NetworkRefusal } from './decision.ts'
import {
  bracketHost,
  parseDestination,
  findListRefusal,
  type NetworkDestination,
} from './destination.ts'
import { refuseStandIn } from './masking/masked-secret.ts'
import type { MaskedNetwork } from './masking/masked-network.ts'
import type { RequestMask } from './masking/request-mask.ts'
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
  /** Name of the list of destinations in messages. */
  listName?: string | undefined
  exceptions: PrivateExceptions
  /** Called for every attempt. */
  onDecision: (decision: NetworkDecision) => void
  /** Defaults to the host's resolver. */
  lookup?: HostLookup | undefined
  /** Answers all requests to listed destinations, in place of these. */
  answers?: AnsweredNetwork | undefined
  /** Secrets whose values are outside of the sandbox. */
  masking?: MaskedNetwork | undefined
}

type NetworkVia = NetworkDecision['via']

type AnswerConnector = ReturnType<AnsweredNetwork['createServer']>

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
  #answering: AnswerConnector | undefined
  #openSockets = new Set<Duplex>()
  #pending = 0
  #closed = false

  constructor(options: EgressFilterOptions, meter: ByteMeter) {
    this.#options = options
    this.#meter = meter
    this.#resolver = new Resolver(options.exceptions, options.lookup)
    if (options.answers) {
      this.#answering = options.answers.createServer({
        forward: async (request) => await this.#forward(request),
        // Forwarded bytes are counted by their connections.
        countBytes: (bytes) => !this.#isReplaying || meter.add(bytes),
      })
    }
  }

  /** True if no name may be resolved, because no request leaves this machine. */
  get #isReplaying(): boolean {
    return this.#options.answers?.mode === 'replay'
  }

  get #listName(): string {
    return this.#options.listName ?? 'permissions.network'
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

  /** Reports an allowed connection that failed. */
  reportUnreachable(via: NetworkVia, destination: NetworkDestination, problem: string): void {
    const message = `${destination.host} is in ${this.#listName}, but the connection failed: ${problem}`
    this.reportAllowed(via, destination, { reason: 'unreachable', message })
  }

  /** Reports what happened to an allowed attempt. */
  reportAllowed(
    via: NetworkVia,
    destination: NetworkDestination,
    found: { reason: AllowedProblem; message: string },
  ): void {
    this.#reportDecision({ allowed: true, ...found, ...destination, via })
  }

  /** The mask of a destination; undefined if the run has no masked secrets. */
  maskFor(destination: NetworkDestination): RequestMask | undefined {
    return this.#options.masking?.maskFor(destination)
  }

  /** Counts decrypted bytes of the run; false if they exceed its limit. */
  countBytes(bytes: number): boolean {
    return this.#meter.add(bytes)
  }

  /** Names that a wildcard allows could carry a stand-in. */
  #findStandInRefusal(destination: NetworkDestination): NetworkRefusal | undefined {
    const { host } = destination
    const secret = this.#options.masking?.secrets.find(({ standIn }) =>
      host.includes(standIn.toLowerCase()),
    )
    return secret && refuseStandIn(secret, destination)
  }

  /** Connects to a destination if the list allows it. */
  async connect(
    via: NetworkVia,
    destination: NetworkDestination,
  ): Promise<Duplex | NetworkRefusal | { unreachable: string }> {
    const refusal =
      this.#findStandInRefusal(destination) ??
      findListRefusal(this.#options.entries, destination, this.#listName)
    if (refusal) return this.reportRefusal(via, refusal, destination)
    if (this.#pending + this.#openSockets.size >= MAX_CONNECTIONS) {
      const message = `More than ${MAX_CONNECTIONS} connections are open at once`
      return this.reportRefusal(via, { reason: 'too-many', message }, destination)
    }
    this.#pending += 1
    try {
      if (this.#answering) return await this.#connectToAnswers(this.#answering, via, destination)
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
        const message = `${url} is in ${this.#listName}`
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
    const message = `${url} is in ${this.#listName}, but the connection failed: ${problem}`
    this.#reportDecision({ allowed: true, reason: 'unreachable', message, ...destination, via })
    return { unreachable: message }
  }

  /** Connects to the stand-in of a destination. The same names are refused as without it. */
  // eslint-disable-next-line max-params -- the server, the way and the destination
  async #connectToAnswers(
    server: AnswerConnector,
    via: NetworkVia,
    destination: NetworkDestination,
  ): Promise<Duplex | NetworkRefusal> {
    const { host, port, scheme } = destination
    const addresses = this.#isReplaying ? [] : await this.#resolver.resolve(host, port)
    if ('reason' in addresses) return this.reportRefusal(via, addresses, destination)
    const message = `${scheme}://${bracketHost(host)}:${port} is in ${this.#listName}, ${
      this.#isReplaying ? 'and a recording answers' : 'and is recorded'
    }`
    this.#reportDecision({ allowed: true, reason: 'listed', message, ...destination, via })
    const socket = server.connect(destination)
    this.#openSockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#openSockets.delete(socket))
    if (this.#closed) socket.destroy()
    return socket
  }

  /** Sends a request to its destination. The list and the addresses are checked again. */
  async #forward(request: AnswerableRequest): Promise<AnsweredResponse> {
    const { host, port } = request.destination
    const unlisted = findListRefusal(this.#options.entries, request.destination, this.#listName)
    const { answers } = this.#options
    if (unlisted || answers?.mode !== 'record') {
      throw new Error(unlisted?.message ?? 'Nothing is forwarded')
    }
    const addresses = await this.#resolver.resolve(host, port)
    if ('reason' in addresses) throw new Error(addresses.message)
    const socket = await this.#openSocket(addresses[0] ?? host, port)
    return await answers.forward(request, socket)
  }

  /** True if the list has a destination with the scheme http, and not with https. */
  listsOnlyHttp(destination: NetworkDestination): boolean {
    const isListed = (scheme: 'http' | 'https') =>
      findListRefusal(this.#options.entries, { ...destination, scheme }) === undefined
    return isListed('http') && !isListed('https')
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
    const standIn = this.#findStandInRefusal(destination)
    if (standIn) return { refusal: standIn, destination: { host: destination.host } }
    const { entries } = this.#options
    const ports = entries
      .filter(({ scheme, port }) => !findListRefusal(entries, { ...destination, scheme, port }))
      .map(({ port }) => port)
    if (ports.length === 0) {
      const message = `${destination.host} is not in ${this.#listName}`
      return {
        refusal: { reason: 'host-not-listed', message },
        destination: { host: destination.host },
      }
    }
    if (this.#isReplaying) return undefined
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
      socket.setNoDelay(true)
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
