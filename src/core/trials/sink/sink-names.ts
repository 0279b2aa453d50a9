import type { RemoteInfo, Socket } from 'node:dgram'
import { encodeAnswer, parseQuestion, TYPE_A } from '../../sandbox/egress/dns-message.ts'

/** 45.76.0.1: names get addresses that look public, which belong to the sandbox itself. */
const FIRST_PUBLIC = 0x2d4c0001
/** 127.64.0.1, where the sandbox has loopback addresses only. */
const FIRST_LOOPBACK = 0x7f400001
const MAX_NAMES = 4096

/** Answers every name with an address of the sandbox. Nothing is resolved. */
export class SinkNames {
  readonly #addresses = new Map<string, string>()
  readonly #names = new Map<string, string>()
  /** True if addresses other than loopback do not reach the sink. */
  hasOnlyLoopback = false

  /** The name for which an address was answered last. */
  findName(address: string): string | undefined {
    return this.#names.get(address)
  }

  /** Answers a query and returns its name; undefined if the message is not a query. */
  answer(message: Buffer, from: RemoteInfo, socket: Socket): string | undefined {
    const question = parseQuestion(message)
    if (!question) return undefined
    const { name, type } = question
    const isAddress = type === TYPE_A && name !== ''
    const reply = encodeAnswer(
      question,
      isAddress ? { kind: 'address', address: this.#assign(name) } : { kind: 'empty' },
    )
    try {
      socket.send(reply, from.port, from.address, () => {})
    } catch {
      // The trial has ended.
    }
    return name
  }

  #assign(name: string): string {
    const assigned = this.#addresses.get(name)
    if (assigned !== undefined) return assigned
    const first = this.hasOnlyLoopback ? FIRST_LOOPBACK : FIRST_PUBLIC
    const number = first + (this.#names.size % MAX_NAMES)
    const address = [24, 16, 8, 0].map((bits) => (number >>> bits) & 0xff).join('.')
    if (this.#addresses.size < MAX_NAMES) this.#addresses.set(name, address)
    this.#names.set(address, name)
    return address
  }
}
