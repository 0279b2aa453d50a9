import type { RunState } from './run-events.ts'

/**
 * Phases of a run, in this order; phases that a run did not reach are omitted. Only fronts of a fleet have `fence`,
 * `prepare` and `end`.
 */
export type RunPhaseName =
  /** The call is read and validated. */
  | 'parse'
  /** The skill, files, secrets and limits are resolved. */
  | 'resolve'
  /** A front sent the call to a worker, which stores its begin. */
  | 'fence'
  /** The worker resolves the skill, files, secrets and limits. */
  | 'prepare'
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
  /** The worker stores the end of the call. */
  | 'end'

/** A phase of a run, in monotonic time. */
export interface RunPhase {
  name: RunPhaseName
  startedAt: number
  ms: number
}

/** Times of a call before its run, in monotonic milliseconds of this process. */
export interface CallTimes {
  /** The entry point received the call; absent if it reads no parameters. */
  receivedAt?: number
  /** The parameters are read and validated. */
  readAt: number
}

/** The phase that begins with a state of the run. */
const PHASE_BY_STATE: Readonly<Partial<Record<RunState, RunPhaseName>>> = {
  starting: 'stage',
  running: 'channel',
  collecting: 'collect',
}

/** Records when the phases of a run begin. */
export interface PhaseClock {
  /** Has no effect for a phase that has begun already. */
  enter(name: RunPhaseName): void
  /** Enters the phase that begins with this state, if one does. */
  enterState(state: RunState): void
  /** Returns the phases that are over. */
  list(): RunPhase[]
  /** Returns all phases; the last one ends now. */
  end(): RunPhase[]
}

/** Starts the clock of a run. Without times of its call, the first phase begins now. */
export function startPhaseClock(
  call: CallTimes | RunPhaseName = 'resolve',
  onPhase?: (name: RunPhaseName) => void,
): PhaseClock {
  const starts = new Map<RunPhaseName, number>()
  if (typeof call === 'string') starts.set(call, performance.now())
  else {
    if (call.receivedAt !== undefined) starts.set('parse', call.receivedAt)
    starts.set('resolve', call.readAt)
  }
  const enter = (name: RunPhaseName) => {
    if (starts.has(name)) return
    starts.set(name, performance.now())
    onPhase?.(name)
  }
  return {
    enter,
    enterState(state) {
      const name = PHASE_BY_STATE[state]
      if (name) enter(name)
    },
    list: () => listPhases(starts, undefined),
    end: () => listPhases(starts, performance.now()),
  }
}

/** Converts times of one clock into those of another one. */
export function shiftCallTimes(times: CallTimes | undefined, ms: number): CallTimes | undefined {
  if (times === undefined) return undefined
  const { receivedAt, readAt } = times
  return {
    ...(receivedAt !== undefined && { receivedAt: receivedAt + ms }),
    readAt: readAt + ms,
  }
}

function listPhases(starts: ReadonlyMap<RunPhaseName, number>, end: number | undefined) {
  const all = [...starts]
  return all.flatMap(([name, startedAt], index): RunPhase[] => {
    const next = all[index + 1]?.[1] ?? end
    // Times of another process can be later by the error of its clock.
    return next === undefined ? [] : [{ name, startedAt, ms: Math.max(0, next - startedAt) }]
  })
}
