import type { RunEvent } from '../../core/runs/run-call.ts'

/** Where the time of a run goes, in this order; one that a run never came to is left out. */
type RunPhaseName =
  /** The call is read and checked. */
  | 'parse'
  /** Its skill, files, secrets and limits are looked up. */
  | 'resolve'
  /** It is judged, and approved where that is asked for. */
  | 'policy'
  /** Others have their turn. */
  | 'wait'
  /** It is written down that it began. */
  | 'begin'
  /** Files are laid out and the sandbox comes up. */
  | 'stage'
  /** It runs, and what it says is heard. */
  | 'channel'
  /** What it made is taken over, and the sandbox goes away. */
  | 'collect'
  /** How it ended is made durable. */
  | 'record'

/** A part of a run, by the clock that never jumps. */
export interface RunPhase {
  name: RunPhaseName
  startedAt: number
  ms: number
}

/** What begins with a state of the run. */
const PHASE_BY_STATE: Readonly<Record<string, RunPhaseName>> = {
  starting: 'stage',
  running: 'channel',
  collecting: 'collect',
}

/** Notes when the stages of a run begin. */
interface PhaseClock {
  enter(name: RunPhaseName): void
  observe(event: RunEvent): void
  /** The stages, the last one ended now. */
  end(): RunPhase[]
}

/** Of a call that came at `startedAt` and is known to be one of a run now. */
export function startPhaseClock(startedAt: number): PhaseClock {
  const begun = new Map<RunPhaseName, number>([
    ['parse', startedAt],
    ['resolve', performance.now()],
  ])
  const begin = (name: RunPhaseName) => {
    if (!begun.has(name)) begun.set(name, performance.now())
  }
  return {
    enter: begin,
    observe(event) {
      const name = event.type === 'state' ? PHASE_BY_STATE[event.state] : undefined
      if (name) begin(name)
    },
    end() {
      const all = [...begun]
      const last = performance.now()
      return all.map(([name, at], index) => ({
        name,
        startedAt: at,
        ms: (all[index + 1]?.[1] ?? last) - at,
      }))
    },
  }
}
