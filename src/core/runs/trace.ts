import type { SandboxExit } from '../sandbox/backend.ts'
import type { NetworkDecision } from '../sandbox/egress/decision.ts'
import type { Isolation } from '../sandbox/isolation.ts'

/** Facts about a run besides its result; filled during the run, for its record. */
export interface RunTrace {
  /** Set when something was started. */
  isolation?: Isolation
  /** Set when all processes are dead. */
  exit?: SandboxExit
  /** Every network attempt in order, if the run had a filter. */
  network?: NetworkDecision[]
  /** Counts the bytes of output and log lines so far. */
  countOutputBytes?: () => number
  /** Counts the bytes that the run has sent and received, if it had a filter. */
  countNetworkBytes?: () => number
}
