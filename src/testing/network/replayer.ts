import { relative } from 'node:path'
import type {
  RequestAnswerer,
  AnswerableRequest,
  AnsweredResponse,
} from '../../core/sandbox/egress/answers/request-answerer.ts'
import type { Cassette, RecordedExchange } from '../../core/testing/cassettes/cassette.ts'
import {
  findMismatch,
  type RequestMismatch,
} from '../../core/testing/cassettes/compare-requests.ts'
import {
  toComparable,
  type ComparableRequest,
} from '../../core/testing/cassettes/comparable-request.ts'
import { decodeText, parseJson } from '../../core/testing/cassettes/message-body.ts'
import type { Placeholders } from '../../core/testing/cassettes/placeholders.ts'
import type { NetworkFailure } from './network-failure.ts'

/** More failures than these are not listed. */
const MAX_FAILURES = 20

interface Entry {
  exchange: RecordedExchange
  comparable: ComparableRequest
  uses: number
}

export interface ReplayerOptions {
  cassette: Cassette
  /** Folder that paths in messages are relative to. */
  cwd: string
  placeholders: Placeholders
  /** Replaces the secrets of the case, and texts that look like credentials. */
  hide: (text: string) => string
}

/** Answers the requests of one case from a cassette. */
export class Replayer implements RequestAnswerer {
  readonly mode = 'replay'
  readonly #options: ReplayerOptions
  readonly #entries: readonly Entry[]
  readonly #failures: NetworkFailure[] = []

  constructor(options: ReplayerOptions) {
    this.#options = options
    const { cassette, hide } = options
    this.#entries = cassette.exchanges.map((exchange) => ({
      exchange,
      comparable: toComparable(exchange.request, cassette.comparedHeaders, hide),
      uses: 0,
    }))
  }

  answer(request: AnswerableRequest): Promise<AnsweredResponse> {
    const { cassette, hide } = this.#options
    const comparable = toComparable(request, cassette.comparedHeaders, hide)
    const entry = this.#findEntry(comparable)
    if (entry) {
      entry.uses += 1
      return Promise.resolve(this.#reveal(entry.exchange))
    }
    const failure = this.#describeUnmatched(request, comparable)
    this.#addFailure(failure)
    const error = { code: 'not-recorded', message: failure.message }
    return Promise.resolve({
      status: 501,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(`${JSON.stringify({ error })}\n`),
    })
  }

  onUnanswerable(problem: string): void {
    this.#addFailure({ message: `A connection could not be answered: ${problem}` })
  }

  /** Failures of the requests so far, and the entries that were not used. */
  finish(): NetworkFailure[] {
    const unused = this.#entries.filter(
      ({ exchange: { times }, uses }) => times !== 'any' && uses < times,
    )
    return [
      ...this.#failures,
      ...unused.map(({ exchange, uses }) => {
        const { method, url } = exchange.request
        const count = uses === 0 ? 'was not used' : `was used ${uses} of ${exchange.times} times`
        return { message: `The entry ${this.#locate(exchange)} (${method} ${url}) ${count}` }
      }),
    ]
  }

  #findEntry(comparable: ComparableRequest): Entry | undefined {
    const open = this.#entries.filter(
      ({ exchange: { times }, uses }) => times === 'any' || uses < times,
    )
    const fits = (entry: Entry) => findMismatch(entry.comparable, comparable) === undefined
    if (!this.#options.cassette.isOrdered) return open.find(fits)
    const next = open.findIndex(({ exchange }) => exchange.times !== 'any')
    return open.slice(0, next === -1 ? undefined : next + 1).find(fits)
  }

  #reveal({ response }: RecordedExchange): AnsweredResponse {
    const { placeholders } = this.#options
    const text = decodeText(response.body)
    const encode = parseJson(text ?? '') ? encodeInJson : undefined
    return {
      status: response.status,
      headers: response.headers.map(([name, value]) => [name, placeholders.reveal(value)]),
      body: text === undefined ? response.body : Buffer.from(placeholders.reveal(text, encode)),
    }
  }

  #describeUnmatched(
    { method, url }: AnswerableRequest,
    comparable: ComparableRequest,
  ): NetworkFailure {
    const { cassette, hide, cwd } = this.#options
    const file = relative(cwd, cassette.file)
    const subject = `The cassette ${file} has no answer for ${method} ${hide(url)}`
    const nearest = this.#findNearest(comparable)
    if (!nearest) return { message: `${subject}: it has no entries` }
    const { entry, mismatch } = nearest
    const place = this.#locate(entry.exchange)
    if (!mismatch) {
      const reason = this.#entries.some(
        ({ exchange }) => exchange.times !== 'any' && cassette.isOrdered,
      )
        ? 'was used already, or is not the next one of the order'
        : `was used already (times = ${entry.exchange.times})`
      return { message: `${subject}: the entry ${place} ${reason}` }
    }
    const message = `${subject}: the nearest entry ${place} differs in ${mismatch.text}`
    return { message, difference: mismatch.difference }
  }

  #findNearest(
    comparable: ComparableRequest,
  ): { entry: Entry; mismatch: RequestMismatch | undefined } | undefined {
    return this.#entries
      .map((entry) => ({ entry, mismatch: findMismatch(entry.comparable, comparable) }))
      .toSorted((a, b) => countEqual(b.mismatch) - countEqual(a.mismatch))[0]
  }

  #locate({ position }: RecordedExchange): string {
    return `${relative(this.#options.cwd, this.#options.cassette.file)}:${position.line}`
  }

  #addFailure(failure: NetworkFailure): void {
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(failure)
  }
}

function countEqual(mismatch: RequestMismatch | undefined): number {
  return mismatch?.equalParts ?? Number.POSITIVE_INFINITY
}

function encodeInJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}
