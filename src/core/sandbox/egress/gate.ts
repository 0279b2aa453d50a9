import { connect, type Socket } from 'node:net'
import type { NetworkEntry } from '../../skills/manifest/network-entry.ts'
import type { NetworkDecision, Refusal } from './decision.ts'
import { bracketed, readDestination, whyNotListed, type Destination } from './destination.ts'
import type { PrivateExceptions } from './private-exceptions.ts'
import { Resolver, type Lookup } from './resolver.ts'

const CONNECT_MS = 10_000
const MAX_ADDRESSES = 4
const MAX_CONNECTIONS = 128

/** What decides for one run. */
export interface GateOptions {
  /** What the run may reach. */
  entries: readonly NetworkEntry[]
  exceptions: PrivateExceptions
  /** Called for every attempt. */
  onDecision: (decision: NetworkDecision) => void
  /** The host's resolver unless given. */
  lookup?: Lookup | undefined
}

/** How an attempt was made. */
type Via = NetworkDecision['via']

/** A name that no address is told for. */
interface RefusedName {
  refusal: Refusal
  asked: Partial<Destination> | undefined
}

/** The one way out of one run: decides, connects to what was checked, and tells of each attempt. */
export class Gate {
  #options: GateOptions
  #resolver: Resolver
  #open = new Set<Socket>()
  #pending = 0
  #closed = false

  constructor(options: GateOptions) {
    this.#options = options
    this.#resolver = new Resolver(options.exceptions, options.lookup)
  }

  /** Tells of an attempt that was refused; answers with the refusal. */
  refuse(via: Via, refusal: Refusal, asked?: Partial<Destination>): Refusal {
    const { host = null, port = null, scheme = null } = asked ?? {}
    this.#options.onDecision({ allowed: false, ...refusal, host, port, scheme, via })
    return refusal
  }

  /** Connects to a destination if the list allows it. */
  async connect(via: Via, asked: Destination): Promise<Socket | Refusal | { unreachable: string }> {
    const unlisted = whyNotListed(this.#options.entries, asked)
    if (unlisted) return this.refuse(via, unlisted, asked)
    if (this.#pending + this.#open.size >= MAX_CONNECTIONS) {
      const message = `More than ${MAX_CONNECTIONS} connections are open at once`
      return this.refuse(via, { reason: 'too-many', message }, asked)
    }
    this.#pending += 1
    try {
      return await this.#reach(via, asked)
    } finally {
      this.#pending -= 1
    }
  }

  async #reach(via: Via, asked: Destination): Promise<Socket | Refusal | { unreachable: string }> {
    const found = await this.#resolver.resolve(asked.host, asked.port)
    if ('reason' in found) return this.refuse(via, found, asked)
    const where = `${asked.scheme}://${bracketed(asked.host)}:${asked.port}`
    let problem = 'the run has ended'
    for (const address of found.slice(0, MAX_ADDRESSES)) {
      if (this.#closed) break
      try {
        const socket = await this.#dial(address, asked.port)
        const message = `${where} is in permissions.network`
        this.#tell({ allowed: true, reason: 'listed', message, ...asked, via, address })
        return socket
      } catch (error) {
        problem = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      }
    }
    const message = `${where} is in permissions.network, but could not be reached: ${problem}`
    this.#tell({ allowed: true, reason: 'unreachable', message, ...asked, via })
    return { unreachable: message }
  }

  /** Why no question for a name's address is answered; nothing where a connection may follow. */
  async checkName(name: string): Promise<RefusedName | undefined> {
    const asked = readDestination('https', name)
    if ('reason' in asked) return { refusal: asked, asked: undefined }
    if (asked.host !== name) {
      const refusal: Refusal = { reason: 'malformed', message: `"${name}" is not a name alone` }
      return { refusal, asked: undefined }
    }
    const { entries } = this.#options
    const ports = entries
      .filter(({ scheme, port }) => !whyNotListed(entries, { ...asked, scheme, port }))
      .map(({ port }) => port)
    if (ports.length === 0) {
      const message = `${asked.host} is not in permissions.network`
      return { refusal: { reason: 'host-not-listed', message }, asked: { host: asked.host } }
    }
    const answers = await Promise.all(ports.map((port) => this.#resolver.resolve(asked.host, port)))
    const refusals = answers.flatMap((answer) => ('reason' in answer ? [answer] : []))
    const [first] = refusals
    if (!first || refusals.length < answers.length) return undefined
    return { refusal: first, asked: { host: asked.host } }
  }

  /** Ends every connection; none follows. */
  close(): void {
    this.#closed = true
    this.#resolver.close()
    for (const socket of this.#open) socket.destroy()
  }

  #tell(decision: NetworkDecision): void {
    this.#options.onDecision(decision)
  }

  #dial(address: string, port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, autoSelectFamily: false, allowHalfOpen: true })
      this.#open.add(socket)
      const timer = setTimeout(() => socket.destroy(new Error('it did not answer')), CONNECT_MS)
      socket.once('close', () => {
        clearTimeout(timer)
        this.#open.delete(socket)
        reject(new Error('the run has ended'))
      })
      // A connection that breaks later is the business of who uses it; unheard, it would be ours.
      socket.on('error', reject)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(socket)
      })
    })
  }
}
