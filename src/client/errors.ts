import type { RunResult } from '../core/runs/result.ts'

/** What a ProtocolError knows besides its message. */
export interface ProtocolErrorFacts {
  /** As JSON-RPC numbers it: -32602 for a parameter that is wrong. */
  code: number
  /** Facts for programs, as they came. */
  data: unknown
  httpStatus: number
  /** The method or the path that was asked for. */
  asked: string
}

/** The first level: the runtime refused the call, so nothing was run. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: number
  readonly data: unknown
  readonly httpStatus: number
  readonly asked: string

  constructor(message: string, { code, data, httpStatus, asked }: ProtocolErrorFacts) {
    super(message)
    this.code = code
    this.data = data
    this.httpStatus = httpStatus
    this.asked = asked
  }

  /** When it is worth to try again, where the runtime said so. */
  get retryAfterMs(): number | undefined {
    const { retry_after_ms: ms } = (this.data ?? {}) as { retry_after_ms?: unknown }
    return typeof ms === 'number' && ms >= 0 ? ms : undefined
  }
}

/** The second level: the call was carried out, and what it ran failed. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError'
  /** All that the runtime said of the run. */
  readonly result: RunResult

  constructor(result: RunResult) {
    super(result.error?.message ?? result.summary)
    this.result = result
  }

  /** The exception's class, or a failure of the runtime's own such as `Timeout`. */
  get type(): string {
    return this.result.error?.type ?? 'Error'
  }
}

/** Why no answer came that could be read. */
export type ConnectionProblem =
  /** Nothing could be sent: no such host, nobody listens, no trust. */
  | 'unreachable'
  /** It broke off; the runtime may or may not have done what it was asked. */
  | 'broken'
  | 'timeout'
  /** It answered with another address, which is not followed: a token would go there as well. */
  | 'redirect'
  /** What came is not what a Skills Runtime answers. */
  | 'not-a-runtime'
  | 'too-large'

export interface ConnectionErrorFacts {
  problem: ConnectionProblem
  /** Undefined where no answer came at all. */
  httpStatus?: number | undefined
  /** Where a redirect leads, as far as it is known. */
  location?: string | undefined
  /** Nothing was sent, and another try may have more luck. */
  isWorthRetrying?: boolean | undefined
  cause?: unknown
}

/** Neither level: there was no answer. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly problem: ConnectionProblem
  readonly httpStatus: number | undefined
  readonly location: string | undefined
  readonly isWorthRetrying: boolean

  constructor(message: string, facts: ConnectionErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.problem = facts.problem
    this.httpStatus = facts.httpStatus
    this.location = facts.location
    this.isWorthRetrying = facts.isWorthRetrying === true
  }
}
