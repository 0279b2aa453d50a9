import type { NetworkDecision } from '../../../../src/core/sandbox/egress/decision.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

export type Attempt = readonly (string | number)[]

/** One requested run. */
export interface EgressRunRequest {
  /** `permissions.network` of the skill. */
  list: readonly string[]
  attempts: readonly Attempt[]
  /** Addresses that the operator allows in addition. */
  allowPrivate: readonly string[]
  /** The operator denies network access. */
  withoutLeave?: boolean
  backend?: string
  /** Passed to the skill as TOKEN. */
  secret?: string
  /** `run.limits.network_bytes`. */
  networkBytes?: number
  /** Connects from outside to the port that the run prints. */
  reach?: boolean
}

/** Report of one run. */
export interface EgressRunReport {
  result?: RunResult & { output?: unknown }
  thrown?: { code: string; message: string }
  decisions: NetworkDecision[]
  logs: string
  /** Result of connecting from outside. */
  reached?: string
}

export interface Report {
  reports: Record<string, EgressRunReport>
  /** Sockets open in the worker before and after all runs. */
  sockets: [before: number, after: number]
}

/** Input of the worker that tries to reach its own addresses. */
export interface OwnAddressRequest {
  addresses: readonly string[]
  allowPrivate: readonly string[]
}
