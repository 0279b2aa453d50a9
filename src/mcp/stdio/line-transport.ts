import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { toSkillsError, SkillsError } from '../../errors.ts'
import { readJson } from '../../rpc/read-json.ts'
import { messageProblem } from './message-problem.ts'
import { splitLines, type Line } from './split-lines.ts'

interface LineTransportOptions {
  stdin: NodeJS.ReadableStream
  stdout: NodeJS.WritableStream
  /** Bytes that one message may have. */
  maxBytes: number
}

type Id = string | number
type Message = Record<string, unknown>

/** After the last message was read, what is under way has this long to be answered. */
const GRACE_MS = 2000

/**
 * Messages as lines of standard input and output. What is no message is answered, as far as it can
 * be, and never ends the connection. Messages that come before anybody listens are kept.
 */
export class LineTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  #options: LineTransportOptions
  #early: Message[] = []
  #isStarted = false
  #isClosed = false
  #isAtEnd = false
  /** Requests that nobody has answered yet. */
  #pending = new Set<Id>()
  /** Requests that were answered before whoever answers requests was there. */
  #answered = new Set<Id>()
  #late: NodeJS.Timeout | undefined
  #resolveClosed = () => {}
  /** Resolves when the client is gone, and what it asked for is answered or given up. */
  readonly closed: Promise<void> = new Promise((resolve) => (this.#resolveClosed = resolve))

  constructor(options: LineTransportOptions) {
    this.#options = options
    const { stdin, stdout } = options
    const lines = splitLines(
      () => this.#options.maxBytes,
      (line) => this.#read(line),
    )
    stdin.on('data', (chunk: Buffer | string) =>
      lines.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    )
    stdin.on('end', () => {
      lines.end()
      this.#end()
    })
    stdin.on('error', () => this.#end())
    // The client is gone.
    stdout.on('error', () => void this.close())
  }

  /** Takes longer or shorter messages from now on. */
  limit(maxBytes: number): void {
    this.#options = { ...this.#options, maxBytes }
  }

  /** Answers a request ahead of time; what is answered to it later goes nowhere. */
  answerEarly(make: (message: Message) => object | undefined): void {
    const [first] = this.#early
    if (!first) return
    const result = make(first)
    if (result === undefined) return
    const id = first['id'] as Id
    // In the order of the SDK.
    void this.#write({ result, jsonrpc: '2.0', id })
    this.#pending.delete(id)
    this.#answered.add(id)
  }

  /** Resolves when a first message has come, or none will. */
  async firstMessage(): Promise<void> {
    if (this.#early.length > 0 || this.#isAtEnd || this.#isClosed) return
    await new Promise<void>((resolve) => {
      const { stdin, stdout } = this.#options
      const look = () => {
        if (this.#early.length === 0 && !this.#isAtEnd && !this.#isClosed) return
        stdin.off('data', look).off('end', look).off('error', look)
        stdout.off('error', look)
        resolve()
      }
      stdin.on('data', look).on('end', look).on('error', look)
      stdout.on('error', look)
    })
  }

  async start(): Promise<void> {
    this.#isStarted = true
    for (const message of this.#early.splice(0)) this.#deliver(message)
    this.#closeIfDone()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return
    const { id, method } = message as { id?: Id; method?: string }
    const isAnswer = id !== undefined && method === undefined
    if (isAnswer && this.#answered.delete(id)) return
    await this.#write(message)
    if (!isAnswer) return
    this.#pending.delete(id)
    this.#closeIfDone()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#late)
    this.#options.stdin.pause()
    this.onclose?.()
    this.#resolveClosed()
  }

  #read(line: Line): void {
    if (this.#isClosed) return
    const message = this.#parse(line)
    if (!message) return
    const { id, method, params } = message as { id?: Id; method?: unknown; params?: unknown }
    if (method === 'notifications/cancelled') {
      this.#pending.delete((params as { requestId?: Id } | undefined)?.requestId as Id)
    }
    // Who listens for news gets no answer before the end.
    if (id !== undefined && method !== undefined && method !== 'subscriptions/listen') {
      this.#pending.add(id)
    }
    if (this.#isStarted) this.#deliver(message)
    else this.#early.push(message)
  }

  #deliver(message: Message): void {
    this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  #parse(line: Line): Message | undefined {
    try {
      if (line === undefined) throw tooLong(this.#options.maxBytes)
      if (line.trim() === '') return undefined
      const value = readJson(line)
      const problem = messageProblem(value)
      if (problem === undefined) return value as Message
      this.#refuse(new SkillsError('rpc/invalid-request', `Invalid Request: ${problem}`), value)
    } catch (thrown) {
      this.#refuse(toSkillsError(thrown), undefined)
    }
    return undefined
  }

  #refuse(error: SkillsError, value: unknown): void {
    const { id } = (value ?? {}) as { id?: unknown }
    const isId = typeof id === 'string' || typeof id === 'number'
    const { message, outcome } = error
    const answer = { jsonrpc: '2.0', id: isId ? id : null, error: { code: outcome.rpc, message } }
    void this.#write(answer)
  }

  async #write(message: object): Promise<void> {
    const { stdout } = this.#options
    if (stdout.write(`${JSON.stringify(message)}\n`) || this.#isClosed) return
    await new Promise<void>((resolve) => {
      const go = () => {
        stdout.off('drain', go).off('error', go)
        resolve()
      }
      stdout.on('drain', go).on('error', go)
    })
  }

  #end(): void {
    if (this.#isAtEnd) return
    this.#isAtEnd = true
    this.#late = setTimeout(() => void this.close(), GRACE_MS)
    this.#closeIfDone()
  }

  #closeIfDone(): void {
    if (this.#isAtEnd && this.#isStarted && this.#pending.size === 0) void this.close()
  }
}

function tooLong(maxBytes: number): SkillsError {
  return new SkillsError('http/too-large', `Expected a message of at most ${maxBytes} bytes`)
}
