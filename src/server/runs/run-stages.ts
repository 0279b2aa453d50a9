import type { RunEvent } from '../../core/runs/run-call.ts'

/** Where the time of a run goes, in this order; one that a run never came to is left out. */
type StageName =
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
export interface RunStage {
  name: StageName
  startedAt: number
  ms: number
}

/** What begins with a state of the run. */
const BEGINS: Readonly<Record<string, StageName>> = {
  starting: 'stage',
  running: 'channel',
  collecting: 'collect',
}

/** Notes when the stages of a run begin. */
interface StageClock {
  step(name: StageName): void
  see(event: RunEvent): void
  /** The stages, the last one ended now. */
  end(): RunStage[]
}

/** Of a call that came at `startedAt` and is known to be one of a run now. */
export function openStages(startedAt: number): StageClock {
  const begun = new Map<StageName, number>([
    ['parse', startedAt],
    ['resolve', performance.now()],
  ])
  const begin = (name: StageName) => {
    if (!begun.has(name)) begun.set(name, performance.now())
  }
  return {
    step: begin,
    see(event) {
      const name = event.type === 'state' ? BEGINS[event.state] : undefined
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
