import { relative } from 'node:path'
import type { RegexScanner } from '../../util/linear-regex/regex-scanner.ts'
import type {
  RequestAnswerer,
  RequestForwarder,
  AnswerableRequest,
  AnsweredResponse,
} from '../../core/sandbox/egress/answers/request-answerer.ts'
import type { CassetteRequest, RecordedExchange } from '../../core/testing/cassettes/cassette.ts'
import type { DeferWrite } from '../running/deferred-writes.ts'
import type { NetworkFailure } from './network-failure.ts'
import { learnCredentials, redactExchange, type RawExchange } from './redact-exchange.ts'
import { StandIns } from './stand-ins.ts'
import { writeCassette, type NewCassette } from './write-cassette.ts'
import { createRedactor, type Redactor } from '../../core/runs/redaction/redact.ts'

/** More requests than a reviewer reads. */
const MAX_EXCHANGES = 500
const MAX_BYTES = 64 * 1024 * 1024

export interface RecorderOptions {
  /** The new cassette, still without exchanges. */
  cassette: Omit<NewCassette, 'exchanges'>
  cwd: string
  defer: DeferWrite
  /** Replaces the secrets of the case, and texts that look like credentials. */
  hide: (text: string) => string
  /** Values by the names of the case's secrets. */
  secrets: ReadonlyMap<string, readonly string[]>
  patterns: RegexScanner | undefined
}

/** Forwards the requests of one case, and saves them with their responses. */
export class Recorder implements RequestAnswerer {
  readonly mode = 'record'
  readonly #options: RecorderOptions
  readonly #exchanges: RawExchange[] = []
  readonly #failures: NetworkFailure[] = []
  #bytes = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  async answer(request: AnswerableRequest, forward: RequestForwarder): Promise<AnsweredResponse> {
    const exchange = createExchange(request)
    try {
      this.#reserve(exchange)
      const response = await forward(request)
      this.#bytes += request.body.length + response.body.length
      if (this.#bytes > MAX_BYTES) throw new Error('the recording is longer than 64 MiB')
      exchange.response = response
      return response
    } catch (error) {
      const message = `${this.#name(request)} could not be recorded: ${(error as Error).message}`
      this.#failures.push({ message })
      const body = { error: { code: 'not-recorded', message } }
      return {
        status: 502,
        headers: [['Content-Type', 'application/json']],
        body: Buffer.from(`${JSON.stringify(body)}\n`),
      }
    }
  }

  onUnanswerable(problem: string): void {
    this.#failures.push({ message: `A connection could not be recorded: ${problem}` })
  }

  /** Writes the cassette, unless something is missing in it or a secret is left in it. */
  finish(): NetworkFailure[] {
    const { cassette, cwd, secrets, patterns, defer } = this.#options
    if (this.#failures.length > 0) return this.#failures
    const pending = this.#exchanges.find(({ response }) => response.status === 0)
    if (pending) {
      return [{ message: `The run ended before the answer to ${this.#name(pending.request)}` }]
    }
    const file = relative(cwd, cassette.file)
    if (this.#exchanges.length === 0) {
      return [{ message: `The case made no request that can be recorded: ${file} was not saved` }]
    }
    const standIns = new StandIns()
    const redaction = { ...this.#options, comparedHeaders: cassette.comparedHeaders, standIns }
    for (const each of this.#exchanges) learnCredentials(each, redaction)
    const exchanges = this.#exchanges.map((each) => redactExchange(each, redaction))
    const leaked = scanExchanges(exchanges, {
      secrets,
      credentials: standIns.listValues(),
      patterns,
    })
    if (leaked) {
      const { request } = exchanges[leaked.number - 1]!
      const entry = `entry ${leaked.number} (${this.#name(request)})`
      const message = `${file} was not saved: ${leaked.part} of ${entry} contains ${leaked.secret}`
      return [{ message }]
    }
    const recorded = { ...cassette, exchanges: mergeRepeated(exchanges) }
    defer(cassette.file, () => writeCassette(recorded))
    return []
  }

  /** Names a request for an error. An address in which an encoded secret is left is named by its host alone. */
  #name({ method, url }: Pick<CassetteRequest, 'method' | 'url'>): string {
    const { hide, secrets, patterns } = this.#options
    const hidden = Buffer.from(hide(url))
    const redactors = createRedactors({ secrets, credentials: [], patterns })
    const isLeak = redactors.some(([, redactor]) => changes(redactor, hidden))
    return `${method} ${isLeak ? `${new URL(url).origin}/…` : hidden.toString()}`
  }

  /** Requests keep the order of their arrival. */
  #reserve(exchange: RawExchange): void {
    if (this.#exchanges.length >= MAX_EXCHANGES) {
      throw new Error(`the case makes more than ${MAX_EXCHANGES} requests`)
    }
    this.#exchanges.push(exchange)
  }
}

/** The response has the status 0 until it arrives. */
function createExchange({ method, url, headers, body }: AnswerableRequest): RawExchange {
  return {
    request: { method, url, headers, body },
    response: { status: 0, headers: [], body: Buffer.alloc(0) },
  }
}

/** Joins equal exchanges that follow each other. */
function mergeRepeated(
  exchanges: readonly Pick<RecordedExchange, 'request' | 'response'>[],
): Omit<RecordedExchange, 'position'>[] {
  const merged: (Omit<RecordedExchange, 'position' | 'times'> & { times: number })[] = []
  for (const exchange of exchanges) {
    const last = merged.at(-1)
    const { times: _, ...previous } = last ?? { times: 0 }
    if (last && JSON.stringify(previous) === JSON.stringify(exchange)) last.times += 1
    else merged.push({ ...exchange, times: 1 })
  }
  return merged
}

/** A part of an exchange that still has a secret, so that it must not be saved. */
interface LeakedSecret {
  /** Number of the exchange, from 1. */
  number: number
  part: string
  /** The name of the secret, or its description. */
  secret: string
}

interface SecretScanOptions {
  /** Values by the names of the case's secrets. */
  secrets: ReadonlyMap<string, readonly string[]>
  /** Credentials that the requests and responses contained. */
  credentials: readonly string[]
  patterns: RegexScanner | undefined
}

/** Searches exchanges for secrets, in all encodings that logs are searched for. */
function scanExchanges(
  exchanges: readonly Pick<RecordedExchange, 'request' | 'response'>[],
  options: SecretScanOptions,
): LeakedSecret | undefined {
  const redactors = createRedactors(options)
  for (const [at, exchange] of exchanges.entries()) {
    for (const [part, bytes] of listParts(exchange)) {
      const found = redactors.find(([, redactor]) => changes(redactor, bytes))
      if (found) return { number: at + 1, part, secret: found[0] }
    }
  }
  return undefined
}

/** Redactors by what they find. */
function createRedactors({
  secrets,
  credentials,
  patterns,
}: SecretScanOptions): (readonly [string, Redactor])[] {
  return [
    ...[...secrets].map(
      ([name, values]) => [`the secret ${name}`, createRedactor(values)] as const,
    ),
    ['a credential of the requests', createRedactor(credentials)],
    ['a text that looks like a credential', createRedactor([], patterns)],
  ]
}

function changes(redactor: Redactor, bytes: Buffer): boolean {
  const stream = redactor.stream()
  return !Buffer.concat([stream.push(bytes), stream.end()]).equals(bytes)
}

function* listParts({
  request,
  response,
}: Pick<RecordedExchange, 'request' | 'response'>): Generator<readonly [string, Buffer]> {
  yield ['the URL', Buffer.from(request.url)]
  for (const [kind, { headers, body }] of [
    ['request', request],
    ['response', response],
  ] as const) {
    for (const [name, value] of headers) {
      yield [`the header "${name}" of the ${kind}`, Buffer.from(`${name}: ${value}`)]
    }
    yield [`the body of the ${kind}`, body]
  }
}
