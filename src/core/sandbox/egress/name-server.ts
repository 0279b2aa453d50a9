import type { RemoteInfo, Socket } from 'node:dgram'
import type { ByteMeter } from './byte-meter.ts'
import {
  TYPE_A,
  encodeAnswer,
  parseQuestion,
  type DnsAnswer,
  type DnsQuestion,
} from './dns-message.ts'
import type { EgressFilter } from './egress-filter.ts'

/** First loopback address of the sandbox that represents a name: 127.64.0.1. */
const FIRST_ADDRESS = 0x7f400001

/**
 * Resolves listed names to loopback addresses, for code without proxy support. Resolves no other
 * names.
 */
export class NameServer {
  #filter: EgressFilter
  #meter: ByteMeter
  #addresses = new Map<string, string>()
  #names = new Map<string, string>()
  /** The last refused question, unless its paired question was refused as well. */
  #lastRefused: { name: string; type: number } | undefined

  constructor(filter: EgressFilter, meter: ByteMeter) {
    this.#filter = filter
    this.#meter = meter
  }

  /** Serves a socket that is bound inside the sandbox. */
  serve(socket: Socket): void {
    socket.on('message', (message, from) => {
      if (!this.#meter.add(message.length)) return
      const question = parseQuestion(message)
      if (question) void this.#sendReply(socket, question, from)
    })
  }

  /** Resolves a loopback address of the sandbox back to its name. */
  resolveName(address: string): string | undefined {
    return this.#names.get(address)
  }

  async #sendReply(socket: Socket, question: DnsQuestion, from: RemoteInfo): Promise<void> {
    const answer = await this.#resolveAnswer(question.name, question.type)
    const reply = encodeAnswer(question, answer)
    if (!this.#meter.add(reply.length)) return
    try {
      socket.send(reply, from.port, from.address, () => {})
    } catch {
      // The run has ended.
    }
  }

  async #resolveAnswer(name: string, type: number): Promise<DnsAnswer> {
    const assigned = this.#addresses.get(name)
    const refused = assigned === undefined ? await this.#filter.checkName(name) : undefined
    if (refused) {
      if (!this.#isPairedQuestion(name, type))
        this.#filter.reportRefusal('dns', refused.refusal, refused.destination)
      return { kind: 'no-such-name' }
    }
    if (type !== TYPE_A) return { kind: 'empty' }
    return { kind: 'address', address: assigned ?? this.#assignAddress(name) }
  }

  /** Resolvers query A and AAAA together, which counts as one attempt. */
  #isPairedQuestion(name: string, type: number): boolean {
    const isSecond = this.#lastRefused?.name === name && this.#lastRefused.type !== type
    this.#lastRefused = isSecond ? undefined : { name, type }
    return isSecond
  }

  /** The number of names is bounded by the resolver. */
  #assignAddress(name: string): string {
    const assigned = this.#addresses.get(name)
    if (assigned !== undefined) return assigned
    const number = FIRST_ADDRESS + this.#addresses.size
    const address = [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join('.')
    this.#addresses.set(name, address)
    this.#names.set(address, name)
    return address
  }
}
