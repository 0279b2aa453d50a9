import type { RemoteInfo, Socket } from 'node:dgram'
import {
  TYPE_A,
  encodeAnswer,
  parseQuestion,
  type DnsAnswer,
  type DnsQuestion,
} from './dns-message.ts'
import type { EgressFilter } from './egress-filter.ts'

/** Addresses of the sandbox's own loopback that stand for names, from 127.64.0.1 on. */
const FIRST_ADDRESS = 0x7f400001

/** Tells code that knows no proxy an address for each name of the list, and for no other. */
export class NameServer {
  #filter: EgressFilter
  #addresses = new Map<string, string>()
  #names = new Map<string, string>()
  /** The last question that was refused, unless its other half was as well. */
  #lastRefused: { name: string; type: number } | undefined

  constructor(gate: EgressFilter) {
    this.#filter = gate
  }

  /** Serves a socket that is bound inside the sandbox. */
  serve(socket: Socket): void {
    socket.on('message', (message, from) => {
      const question = parseQuestion(message)
      if (question) void this.#sendReply(socket, question, from)
    })
  }

  /** The name that an address of the sandbox stands for. */
  resolveName(address: string): string | undefined {
    return this.#names.get(address)
  }

  async #sendReply(socket: Socket, question: DnsQuestion, from: RemoteInfo): Promise<void> {
    const answer = await this.#resolveAnswer(question.name, question.type)
    try {
      socket.send(encodeAnswer(question, answer), from.port, from.address, () => {})
    } catch {
      // The run has ended meanwhile.
    }
  }

  async #resolveAnswer(name: string, type: number): Promise<DnsAnswer> {
    const known = this.#addresses.get(name)
    const refused = known === undefined ? await this.#filter.checkName(name) : undefined
    if (refused) {
      if (!this.#isPairedQuestion(name, type))
        this.#filter.reportRefusal('dns', refused.refusal, refused.asked)
      return { kind: 'no-such-name' }
    }
    if (type !== TYPE_A) return { kind: 'empty' }
    return { kind: 'address', address: known ?? this.#assignAddress(name) }
  }

  /** A resolver asks for both kinds of addresses at once: that is one attempt. */
  #isPairedQuestion(name: string, type: number): boolean {
    const isSecond = this.#lastRefused?.name === name && this.#lastRefused.type !== type
    this.#lastRefused = isSecond ? undefined : { name, type }
    return isSecond
  }

  /** As many as the resolver answers for. */
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
