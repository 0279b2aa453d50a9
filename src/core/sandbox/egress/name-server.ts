import type { RemoteInfo, Socket } from 'node:dgram'
import {
  ADDRESS_QUESTION,
  encodeAnswer,
  readQuestion,
  type Answer,
  type Question,
} from './dns-message.ts'
import type { Gate } from './gate.ts'

/** Addresses of the sandbox's own loopback that stand for names, from 127.64.0.1 on. */
const FIRST = 0x7f400001

/** Tells code that knows no proxy an address for each name of the list, and for no other. */
export class NameServer {
  #gate: Gate
  #addresses = new Map<string, string>()
  #names = new Map<string, string>()
  /** The last question that was refused, unless its other half was as well. */
  #first: { name: string; type: number } | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  /** Serves a socket that is bound inside the sandbox. */
  serve(socket: Socket): void {
    socket.on('message', (message, from) => {
      const question = readQuestion(message)
      if (question) void this.#reply(socket, question, from)
    })
  }

  /** The name that an address of the sandbox stands for. */
  nameOf(address: string): string | undefined {
    return this.#names.get(address)
  }

  async #reply(socket: Socket, question: Question, from: RemoteInfo): Promise<void> {
    const answer = await this.#answer(question.name, question.type)
    try {
      socket.send(encodeAnswer(question, answer), from.port, from.address, () => {})
    } catch {
      // The run has ended meanwhile.
    }
  }

  async #answer(name: string, type: number): Promise<Answer> {
    const known = this.#addresses.get(name)
    const refused = known === undefined ? await this.#gate.checkName(name) : undefined
    if (refused) {
      if (!this.#isSecondHalf(name, type)) this.#gate.refuse('dns', refused.refusal, refused.asked)
      return { kind: 'no-such-name' }
    }
    if (type !== ADDRESS_QUESTION) return { kind: 'empty' }
    return { kind: 'address', address: known ?? this.#assign(name) }
  }

  /** A resolver asks for both kinds of addresses at once: that is one attempt. */
  #isSecondHalf(name: string, type: number): boolean {
    const isSecond = this.#first?.name === name && this.#first.type !== type
    this.#first = isSecond ? undefined : { name, type }
    return isSecond
  }

  /** As many as the resolver answers for. */
  #assign(name: string): string {
    const assigned = this.#addresses.get(name)
    if (assigned !== undefined) return assigned
    const number = FIRST + this.#addresses.size
    const address = [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join('.')
    this.#addresses.set(name, address)
    this.#names.set(address, name)
    return address
  }
}
