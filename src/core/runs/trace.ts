import type { SandboxExit } from '../sandbox/backend.ts'
import type { NetworkDecision } from '../sandbox/egress/decision.ts'
import type { Isolation } from '../sandbox/isolation.ts'

/** What happened to a run besides its result; filled while it goes on, for its record. */
export interface RunTrace {
  /** As soon as something was started. */
  isolation?: Isolation
  /** When every process is dead. */
  exit?: SandboxExit
  /** Where the run had a filter: every attempt, in order. */
  network?: NetworkDecision[]
}
