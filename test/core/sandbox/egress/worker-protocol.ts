import type { NetworkDecision } from '../../../../src/core/sandbox/egress/decision.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

export type Attempt = readonly (string | number)[]

/** One run that is asked for. */
export interface Asked {
  /** permissions.network of the skill. */
  list: readonly string[]
  attempts: readonly Attempt[]
  /** What the operator allows besides. */
  allowPrivate: readonly string[]
  /** The operator does not let it use the network. */
  withoutLeave?: boolean
  backend?: string
  /** Given to the skill as TOKEN. */
  secret?: string
  /** Connect from outside to the port that the run prints. */
  reach?: boolean
}

/** What came of it. */
export interface Told {
  result?: RunResult & { output?: unknown }
  thrown?: { code: string; message: string }
  decisions: NetworkDecision[]
  logs: string
  /** What connecting from outside came to. */
  reached?: string
}

export interface Report {
  told: Record<string, Told>
  /** Open in the process that made the runs, before and after all of them. */
  sockets: [before: number, after: number]
}
