import type { IsolatedResource } from '../../../../src/core/sandbox/backend.ts'
import type { RunReport, RunSpec } from './worker-protocol.ts'

/**
 * Guarantees of a backend; `mounts` if it mounts /proc and /dev itself. A case runs only for backends
 * that guarantee what it needs.
 */
export type RequiredGuarantee = IsolatedResource | 'limits' | 'secrets' | 'channel' | 'mounts'

/**
 * One attack in Python; many of them run in a single sandbox. It succeeds if it raises no
 * exception.
 */
export interface AttackProbe {
  id: string
  /** Completes the sentence "a run never …". */
  says: string
  needs: RequiredGuarantee
  attack: string
  /**
   * Control in which the attack succeeds: `bare` is the host's interpreter as root; `loose` is
   * bubblewrap as root with all capabilities and no filter, for attacks that would damage the host.
   */
  control?: 'bare' | 'loose'
  /** Reason for which the attack may fail in the control, too. */
  mayFail?: string
}

/** One attack that needs a run of its own. */
export interface RunCase {
  id: string
  /** Completes the sentence "a run …". */
  says: string
  needs: RequiredGuarantee
  run: Omit<RunSpec, 'id'>
  /** Throws if the attack succeeded. `isWeak`: limits apply only per process. */
  holds: (report: RunReport, isWeak: boolean) => void
  control: RunControl
}

/** Id and description of a case. */
export type CaseTitle = readonly [id: string, says: string]

/** Control that shows that the attack works without the guard. */
export type RunControl =
  /** Python for the host's interpreter; `prints` is its expected last line. */
  | { bare: string; prints: string }
  /** The same run with the guard off, and its expected report. */
  | { run: Omit<RunSpec, 'id'>; works: (report: RunReport) => void }
  /** Demonstrated on the host. */
  | { host: () => void | Promise<void> }
  /** No control is possible, for this reason. The run itself still takes place. */
  | { none: string }

type Row = readonly [id: string, says: string, attack: string, more?: Partial<AttackProbe>]

/** Creates the probes of one area; the default control is the bare host. */
export function createProbes(needs: RequiredGuarantee, rows: readonly Row[]): AttackProbe[] {
  return rows.map(([id, says, attack, more]) => ({ id, says, needs, attack, ...more }))
}

/** Requires another guarantee than its area, for a case that is unsafe without it. */
export function withRequirement(needs: RequiredGuarantee, each: RunCase): RunCase {
  return { ...each, needs }
}
