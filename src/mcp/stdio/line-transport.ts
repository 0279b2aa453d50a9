import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { toSkillsError, SkillsError } from '../../errors.ts'
import { readJson } from '../../rpc/read-json.ts'
import { findMessageProblem } from './message-problem.ts'
import { createLineSplitter, type Line } from './split-lines.ts'

interface LineTransportOptions {
  stdin: NodeJS.ReadableStream
  stdout: NodeJS.WritableStream
  /** Bytes that one message may have. */
  maxBytes: number
}

type MessageId = string | number
type McpMessage = Record<string, unknown>

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
  #queued: McpMessage[] = []
  #isStarted = false
  #isClosed = false
  #isAtEnd = false
  /** Requests that nobody has answered yet. */
  #pending = new Set<MessageId>()
  /** Requests that were answered before whoever answers requests was there. */
  #answeredEarly = new Set<MessageId>()
  #graceTimer: NodeJS.Timeout | undefined
  #resolveClosed = () => {}
  /** Resolves when the client is gone, and what it asked for is answered or given up. */
  readonly closed: Promise<void> = new Promise((resolve) => (this.#resolveClosed = resolve))

  constructor(options: LineTransportOptions) {
    this.#options = options
    const { stdin, stdout } = options
    const lines = createLineSplitter(
      () => this.#options.maxBytes,
      (line) => this.#receiveLine(line),
    )
    stdin.on('data', (chunk: Buffer | string) =>
      lines.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    )
    stdin.on('end', () => {
      lines.end()
      this.#onInputEnd()
    })
    stdin.on('error', () => this.#onInputEnd())
    // The client is gone.
    stdout.on('error', () => void this.close())
  }

  /** Takes longer or shorter messages from now on. */
  setMaxBytes(maxBytes: number): void {
    this.#options = { ...this.#options, maxBytes }
  }

  /** Answers a request ahead of time; what is answered to it later goes nowhere. */
  answerEarly(make: (message: McpMessage) => object | undefined): void {
    const [first] = this.#queued
    if (!first) return
    const result = make(first)
    if (result === undefined) return
    const id = first['id'] as MessageId
    // In the order of the SDK.
    void this.#write({ result, jsonrpc: '2.0', id })
    this.#pending.delete(id)
    this.#answeredEarly.add(id)
  }

  /** Resolves when a first message has come, or none will. */
  async waitForFirstMessage(): Promise<void> {
    if (this.#queued.length > 0 || this.#isAtEnd || this.#isClosed) return
    await new Promise<void>((resolve) => {
      const { stdin, stdout } = this.#options
      const look = () => {
        if (this.#queued.length === 0 && !this.#isAtEnd && !this.#isClosed) return
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
    for (const message of this.#queued.splice(0)) this.#deliver(message)
    this.#closeIfDone()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return
    const { id, method } = message as { id?: MessageId; method?: string }
    const isAnswer = id !== undefined && method === undefined
    if (isAnswer && this.#answeredEarly.delete(id)) return
    await this.#write(message)
    if (!isAnswer) return
    this.#pending.delete(id)
    this.#closeIfDone()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#graceTimer)
    this.#options.stdin.pause()
    this.onclose?.()
    this.#resolveClosed()
  }

  #receiveLine(line: Line): void {
    if (this.#isClosed) return
    const message = this.#parseLine(line)
    if (!message) return
    const { id, method, params } = message as { id?: MessageId; method?: unknown; params?: unknown }
    if (method === 'notifications/cancelled') {
      this.#pending.delete(
        (params as { requestId?: MessageId } | undefined)?.requestId as MessageId,
      )
    }
    // Who listens for news gets no answer before the end.
    if (id !== undefined && method !== undefined && method !== 'subscriptions/listen') {
      this.#pending.add(id)
    }
    if (this.#isStarted) this.#deliver(message)
    else this.#queued.push(message)
  }

  #deliver(message: McpMessage): void {
    this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  #parseLine(line: Line): McpMessage | undefined {
    try {
      if (line === undefined) throw messageTooLongError(this.#options.maxBytes)
      if (line.trim() === '') return undefined
      const value = readJson(line)
      const problem = findMessageProblem(value)
      if (problem === undefined) return value as McpMessage
      this.#sendError(new SkillsError('rpc/invalid-request', `Invalid Request: ${problem}`), value)
    } catch (thrown) {
      this.#sendError(toSkillsError(thrown), undefined)
    }
    return undefined
  }

  #sendError(error: SkillsError, value: unknown): void {
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

  #onInputEnd(): void {
    if (this.#isAtEnd) return
    this.#isAtEnd = true
    this.#graceTimer = setTimeout(() => void this.close(), GRACE_MS)
    this.#closeIfDone()
  }

  #closeIfDone(): void {
    if (this.#isAtEnd && this.#isStarted && this.#pending.size === 0) void this.close()
  }
}

function messageTooLongError(maxBytes: number): SkillsError {
  return new SkillsError('http/too-large', `Expected a message of at most ${maxBytes} bytes`)
}
