import type { IsolatedResource } from '../../../../src/core/sandbox/backend.ts'
import type { RunReport, RunSpec } from './worker-protocol.ts'

/** What a backend may promise; a case is run where its promise is made. */
export type Promised = IsolatedResource | 'limits' | 'secrets' | 'channel'

/** One attack in Python, tried among many in one run. It ends without an exception if it works. */
export interface Probe {
  id: string
  /** What it does, as "a run never …". */
  says: string
  needs: Promised
  attack: string
  /**
   * Where the attack works: `bare` is the bare interpreter on the host as root; `loose` is
   * bubblewrap as root with every right and no filter, for what would hurt the host.
   */
  control?: 'bare' | 'loose'
  /** Why the attack may fail there, too. */
  mayFail?: string
}

/** One attack that has a run to itself. */
export interface RunCase {
  id: string
  /** What holds, as "a run …". */
  says: string
  needs: Promised
  run: Omit<RunSpec, 'id'>
  /** Throws where the run got what it must not get; `isWeak` where only processes are bounded. */
  holds: (report: RunReport, isWeak: boolean) => void
  control: RunControl
}

/** What a case is called, and what holds. */
export type Head = readonly [id: string, says: string]

/** What shows that the attack is one. */
export type RunControl =
  /** Python for the bare interpreter: there it works, and the last line it prints is this. */
  | { bare: string; prints: string }
  /** The same run with the guard off, and what it comes to. */
  | { run: Omit<RunSpec, 'id'>; works: (report: RunReport) => void }
  /** Shown on the host. */
  | { host: () => void | Promise<void> }
  /** Nothing can be shown, and why; the run itself still takes place. */
  | { none: string }

type Row = readonly [id: string, says: string, attack: string, more?: Partial<Probe>]

/** Probes of one area; on the bare host unless they say otherwise. */
export function probes(needs: Promised, rows: readonly Row[]): Probe[] {
  return rows.map(([id, says, attack, more]) => ({ id, says, needs, attack, ...more }))
}

/** A case that is safe only where more is promised than its area says. */
export function needing(needs: Promised, each: RunCase): RunCase {
  return { ...each, needs }
}
