import type { RunEvent } from '../core/run/run-call.ts'

/** Where the time of a run goes, in this order; one that a run never came to is left out. */
export type StageName =
  /** Skill and policy are looked up, then its turn is waited for. */
  | 'waiting'
  /** It is marked as begun. */
  | 'preparing'
  /** Files are laid out and the sandbox comes up. */
  | 'starting'
  | 'running'
  /** Blobs become visible, the sandbox goes away, the record is made durable. */
  | 'ending'

/** A part of a run, by the clock that never jumps. */
export interface RunStage {
  name: StageName
  startedAt: number
  ms: number
}

/** What begins with a state of the run. */
const BEGINS: Readonly<Record<string, StageName>> = {
  starting: 'starting',
  running: 'running',
  collecting: 'ending',
}

/** Notes when the stages of a run begin. */
export interface StageClock {
  /** Its turn has come. */
  turn(): void
  see(event: RunEvent): void
  /** The stages, the last one ended now. */
  end(): RunStage[]
}

/** Starts with the first stage. */
export function openStages(now: () => number = () => performance.now()): StageClock {
  const begun = new Map<StageName, number>([['waiting', now()]])
  const begin = (name: StageName) => {
    if (!begun.has(name)) begun.set(name, now())
  }
  return {
    turn: () => begin('preparing'),
    see(event) {
      const name = event.type === 'state' ? BEGINS[event.state] : undefined
      if (name) begin(name)
    },
    end() {
      const all = [...begun]
      const last = now()
      return all.map(([name, startedAt], at) => ({
        name,
        startedAt,
        ms: (all[at + 1]?.[1] ?? last) - startedAt,
      }))
    },
  }
}
