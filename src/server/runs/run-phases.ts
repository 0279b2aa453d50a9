import type { RunEvent } from '../../core/runs/run-call.ts'

/** Phases of a run, in this order; phases that a run did not reach are omitted. */
type RunPhaseName =
  /** The call is read and validated. */
  | 'parse'
  /** The skill, files, secrets and limits are resolved. */
  | 'resolve'
  /** The policy is evaluated and approval is requested if required. */
  | 'policy'
  /** The run waits in the queue. */
  | 'wait'
  /** The start is recorded. */
  | 'begin'
  /** Files are staged and the sandbox starts. */
  | 'stage'
  /** The guest runs and its output is read. */
  | 'channel'
  /** Output files are collected and the sandbox is removed. */
  | 'collect'
  /** The end is recorded durably. */
  | 'record'

/** A phase of a run, in monotonic time. */
export interface RunPhase {
  name: RunPhaseName
  startedAt: number
  ms: number
}

/** The phase that begins with a state of the run. */
const PHASE_BY_STATE: Readonly<Record<string, RunPhaseName>> = {
  starting: 'stage',
  running: 'channel',
  collecting: 'collect',
}

/** Records when the phases of a run begin. */
interface PhaseClock {
  enter(name: RunPhaseName): void
  observe(event: RunEvent): void
  /** Returns the phases; the last one ends now. */
  end(): RunPhase[]
}

/** Starts the clock of a run whose call began at `startedAt`. */
export function startPhaseClock(startedAt: number = performance.now()): PhaseClock {
  const starts = new Map<RunPhaseName, number>([
    ['parse', startedAt],
    ['resolve', performance.now()],
  ])
  const start = (name: RunPhaseName) => {
    if (!starts.has(name)) starts.set(name, performance.now())
  }
  return {
    enter: start,
    observe(event) {
      const name = event.type === 'state' ? PHASE_BY_STATE[event.state] : undefined
      if (name) start(name)
    },
    end() {
      const all = [...starts]
      const last = performance.now()
      return all.map(([name, at], index) => ({
        name,
        startedAt: at,
        ms: (all[index + 1]?.[1] ?? last) - at,
      }))
    },
  }
}
