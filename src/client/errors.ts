import type { RunResult } from '../core/runs/result.ts'

/** Properties of a ProtocolError besides its message. */
export interface ProtocolErrorFacts {
  /** JSON-RPC error code, such as -32602 for an invalid parameter. */
  code: number
  /** `error.data` of the response, unchanged. */
  data: unknown
  httpStatus: number
  /** The called method or the requested path. */
  asked: string
}

/** A first-level error: the runtime refused the call and ran nothing. */
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

  /** Delay before a retry; undefined if the runtime does not report one. */
  get retryAfterMs(): number | undefined {
    const { retry_after_ms: ms } = (this.data ?? {}) as { retry_after_ms?: unknown }
    return typeof ms === 'number' && ms >= 0 ? ms : undefined
  }
}

/** A second-level error: the call succeeded and the run failed. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError'
  /** The complete result of the run. */
  readonly result: RunResult

  constructor(result: RunResult) {
    super(result.error?.message ?? result.summary)
    this.result = result
  }

  /** Class name of the exception, or a failure of the runtime such as `Timeout`. */
  get type(): string {
    return this.result.error?.type ?? 'Error'
  }
}

/** Reasons why no valid response arrived. */
export type ConnectionProblem =
  /**
   * Nothing was sent: the host is unknown, the connection was refused, or its certificate is not
   * trusted.
   */
  | 'unreachable'
  /** The connection broke; the runtime may or may not have executed the call. */
  | 'broken'
  | 'timeout'
  /**
   * The runtime sent a redirect. It is not followed, because the token would be sent to the new
   * address.
   */
  | 'redirect'
  /** The response does not come from a Skills Runtime. */
  | 'not-a-runtime'
  | 'too-large'

export interface ConnectionErrorFacts {
  problem: ConnectionProblem
  /** Undefined if no response arrived. */
  httpStatus?: number | undefined
  /** Target of a redirect, if it is known. */
  location?: string | undefined
  /** True if nothing was sent and a retry may succeed. */
  isWorthRetrying?: boolean | undefined
  cause?: unknown
}

/** Neither error level: no valid response arrived. */
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
