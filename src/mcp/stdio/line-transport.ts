import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { toSkillsError, SkillsError } from '../../errors.ts'
import type { JsonLimits } from '../../rpc/json-limits.ts'
import { readJson } from '../../rpc/read-json.ts'
import { createLineSplitter, type Line } from './split-lines.ts'

interface MessageLimits extends JsonLimits {
  /** Maximum size of one message. */
  maxBytes: number
}

interface LineTransportOptions extends MessageLimits {
  stdin: NodeJS.ReadableStream
  stdout: NodeJS.WritableStream
}

type MessageId = string | number
type McpMessage = Record<string, unknown>

/** Time for running requests to finish after the end of input. */
const GRACE_MS = 2000

/**
 * Newline-delimited messages on stdin and stdout. An invalid message gets an error response if
 * possible and never ends the connection. Messages that arrive before `start` are queued.
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
  /** Ids of requests without a response. */
  #pending = new Set<MessageId>()
  /** Ids of requests that were answered before `start`. */
  #answeredEarly = new Set<MessageId>()
  #graceTimer: NodeJS.Timeout | undefined
  #resolveClosed = () => {}
  /** Resolves after the client disconnected and its requests were answered or abandoned. */
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
    // The client disconnected.
    stdout.on('error', () => void this.close())
  }

  /** Changes the limits of later messages. */
  setLimits({ maxBytes, maxValues }: MessageLimits): void {
    this.#options = { ...this.#options, maxBytes, maxValues }
  }

  /** Answers the first queued request. The later response of the SDK is discarded. */
  answerEarly(make: (message: McpMessage) => object | undefined): void {
    const [first] = this.#queued
    if (!first) return
    const result = make(first)
    if (result === undefined) return
    const id = first['id'] as MessageId
    // The members are in the SDK's order.
    void this.#write({ result, jsonrpc: '2.0', id })
    this.#pending.delete(id)
    this.#answeredEarly.add(id)
  }

  /** Resolves when a first message arrives or none can arrive. */
  async waitForFirstMessage(): Promise<void> {
    if (this.#queued.length > 0 || this.#isAtEnd || this.#isClosed) return
    await new Promise<void>((resolve) => {
      const { stdin, stdout } = this.#options
      const settle = () => {
        if (this.#queued.length === 0 && !this.#isAtEnd && !this.#isClosed) return
        stdin.off('data', settle).off('end', settle).off('error', settle)
        stdout.off('error', settle)
        resolve()
      }
      stdin.on('data', settle).on('end', settle).on('error', settle)
      stdout.on('error', settle)
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
    // A `subscriptions/listen` request gets no response before the end.
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
      const value = readJson(line, this.#options)
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

/** Explains why a value is not a protocol message; undefined for a valid one. */
export function findMessageProblem(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'expected one message per line, got an array'
  if (!isMessageObject(value)) return 'expected an object'
  if (value['jsonrpc'] !== '2.0') return 'expected "jsonrpc": "2.0"'
  const isAnswer = value['result'] !== undefined || value['error'] !== undefined
  if (value['method'] === undefined && isAnswer) return undefined
  return findRequestProblem(value)
}

function findRequestProblem({ id, method, params }: Record<string, unknown>): string | undefined {
  if (typeof method !== 'string') return 'expected "method" to be a string'
  const isId = id === undefined || typeof id === 'string' || Number.isSafeInteger(id)
  if (!isId) return 'expected "id" to be a string or a whole number'
  return params === undefined || isMessageObject(params)
    ? undefined
    : 'expected "params" to be an object'
}

function isMessageObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
