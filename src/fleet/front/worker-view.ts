import { isSealingKey } from '../access/seal-secrets.ts'
import { understands } from '../messages/encoding.ts'
import { isShortText } from '../messages/parse-node-state.ts'
import type { WorkerState } from '../messages/node-state.ts'

/** A worker is heard more often; a heartbeat of an earlier start is late only for this long. */
const LATE_MS = 5000

/** State of a worker, as a front knows it. */
export class WorkerView {
  state: WorkerState
  /** When its last heartbeat arrived, on the clock of `performance.now()`. */
  heardAt = performance.now()
  /** Milliseconds without a heartbeat, as far as the engine answered meanwhile. */
  silentMs = 0
  /** Time since which no process listens to its subject; undefined if one does. */
  unheardSince: number | undefined
  /** Not chosen before this time. */
  avoidedUntil = 0
  /** Number of the last call that this front sent to it. */
  #sent = 0
  /** Calls of this front that it was sent and that have not ended. Those that need no place have number 0. */
  #calls = new Set<{ count: number }>()

  constructor(state: WorkerState) {
    this.state = state
  }

  get calls(): number {
    return this.#calls.size
  }

  /** Numbers the next call that needs a place, so that this front and the worker count the same calls. */
  nextCount(): number {
    this.#sent += 1
    return this.#sent
  }

  /** Notes a call until the returned function is called. */
  open(count: number): () => void {
    const call = { count }
    this.#calls.add(call)
    return () => void this.#calls.delete(call)
  }

  hear(state: WorkerState, front: string): void {
    if (this.#isOld(state)) return
    if (this.state.start !== state.start) this.restart(state.start)
    this.state = { ...state, seen: { [front]: state.seen[front] ?? 0 } }
    this.heardAt = performance.now()
    this.silentMs = 0
    this.unheardSince = undefined
  }

  /** Notes that another start of the node has its name. */
  restart(start: string): void {
    this.#sent = 0
    for (const call of this.#calls) call.count = 0
    this.state = { ...this.state, start, beat: 0 }
  }

  /** True for a heartbeat that was heard, or that a later one overtook. */
  #isOld({ start, beat }: WorkerState): boolean {
    if (start === this.state.start) return beat <= this.state.beat
    // A clock that was set back gives a later start an earlier name.
    return start < this.state.start && performance.now() - this.heardAt < LATE_MS
  }

  /**
   * Calls that were sent and are not in its last heartbeat yet. A call whose message was lost ends for this
   * front with its attempt, and occupies no place from then on.
   */
  countUnseen(front: string): number {
    const seen = this.state.seen[front] ?? 0
    return [...this.#calls].filter(({ count }) => count > seen).length
  }

  countFree(front: string): number {
    return this.state.isDraining ? 0 : this.countPlaces(front)
  }

  /** Free places for calls of its sessions, which it also performs while it drains. */
  countPlaces(front: string): number {
    const { places, line, running, waiting } = this.state
    return places + line - running - waiting - this.countUnseen(front)
  }
}

/** Checks the shape of a heartbeat, which any node could send. One of another major version is not valid. */
export function isWorkerState(value: object): value is WorkerState {
  const state = value as Partial<WorkerState>
  const numbers = [state.places, state.line, state.running, state.waiting, state.beat]
  return (
    state.role === 'worker' &&
    understands(state.v) &&
    [state.node, state.start, state.build, state.pool].every((each) => typeof each === 'string') &&
    numbers.every((each) => Number.isSafeInteger(each) && (each as number) >= 0) &&
    typeof state.isDraining === 'boolean' &&
    typeof state.seen === 'object' &&
    state.seen !== null &&
    (state.isolation === undefined || isShortText(state.isolation)) &&
    (state.sealKey === undefined || isSealingKey(state.sealKey)) &&
    Array.isArray(state.labels)
  )
}
