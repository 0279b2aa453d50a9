import { NoReceiverError, type Engine } from '../engine/engine.ts'
import type { AskAnswer } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { GONE_AFTER_MS, LOST_AFTER_MS } from '../node/silence.ts'
import { isWorkerState, WorkerView } from './worker-view.ts'

export interface WorkersOptions {
  /** Calls are sent to workers of this pool. */
  pool: string
}

const ASK_MS = 250
/** A worker that refused is not asked again for this long, unless it reports a free place. */
const AVOID_MS = 500
/** Workers that are not heard for this long are not shown any more. */
const FORGET_MS = 60_000

/** The workers that a front hears, and its judgement of them. */
export class Workers {
  #engine: Engine
  #front: string
  #options: WorkersOptions
  #views = new Map<string, WorkerView>()
  #changeHandlers = new Set<() => void>()
  #stops: (() => void)[]
  #openedAt = performance.now()
  #countedAt = performance.now()

  constructor(engine: Engine, front: string, options: WorkersOptions) {
    this.#engine = engine
    this.#front = front
    this.#options = options
    const timer = setInterval(() => {
      this.#countSilence()
      void this.#askUsed()
    }, ASK_MS)
    this.#stops = [
      engine.subscribe('hb.w.*', ({ subject, body }) => this.#hear(subject, body)),
      () => clearInterval(timer),
    ]
  }

  get all(): readonly WorkerView[] {
    return [...this.#views.values()]
  }

  /** Workers of the pool of this front. */
  get own(): readonly WorkerView[] {
    return this.all.filter(({ state }) => state.pool === this.#options.pool)
  }

  find(name: string): WorkerView | undefined {
    return this.#views.get(name)
  }

  /** False if a start of a node is gone for certain; undefined if it was not heard yet. */
  isThere(name: string, start: string): boolean | undefined {
    const view = this.#views.get(name)
    if (!view) return this.#engine.health.isSteady && this.hasListened ? false : undefined
    return this.isLive(view) && view.state.start === start
  }

  /** Workers that may get calls of this front. */
  get usable(): readonly WorkerView[] {
    return this.own.filter((view) => this.isLive(view) && !view.state.isDraining)
  }

  /** Places of these workers, with those where calls wait. */
  get capacity(): number {
    return this.usable.reduce((sum, { state }) => sum + state.places + state.line, 0)
  }

  /** True if every live worker was heard since this front started. */
  get hasListened(): boolean {
    return performance.now() - this.#openedAt > LOST_AFTER_MS
  }

  /** Called after each heartbeat. */
  onChange(handle: () => void): () => void {
    this.#changeHandlers.add(handle)
    return () => void this.#changeHandlers.delete(handle)
  }

  /**
   * False if the worker is given up. That is decided only while the engine answers: while it is away,
   * everybody is silent.
   */
  isLive(view: WorkerView): boolean {
    const { health } = this.#engine
    if (!health.isSteady) return true
    if (view.silentMs > LOST_AFTER_MS) return false
    const { unheardSince } = view
    return unheardSince === undefined || performance.now() - unheardSince < GONE_AFTER_MS
  }

  /**
   * Chooses the better of two workers that are drawn by chance among those with a free place; undefined if
   * there is none.
   */
  choose(
    excluded: ReadonlySet<string>,
    fits: (view: WorkerView) => boolean,
  ): WorkerView | undefined {
    const now = performance.now()
    const free = this.own.filter(
      (view) =>
        !excluded.has(view.state.node) &&
        view.avoidedUntil < now &&
        view.countFree(this.#front) > 0 &&
        this.isLive(view) &&
        // A view of an engine that is away says nothing about free places.
        now - view.heardAt < LOST_AFTER_MS &&
        fits(view),
    )
    const [first, second] = [drawOne(free), drawOne(free)]
    if (!first || !second) return undefined
    return second.countFree(this.#front) > first.countFree(this.#front) ? second : first
  }

  /** Notes that a worker refused a call. */
  avoid(view: WorkerView, isUnheard: boolean): void {
    view.avoidedUntil = performance.now() + AVOID_MS
    if (isUnheard) view.unheardSince ??= performance.now()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #hear(subject: string, body: Uint8Array): void {
    const state = decodeMessage(body)
    if (!state || !isWorkerState(state) || subject !== `hb.w.${state.node}`) return
    const view = this.#views.get(state.node)
    if (view) {
      if (state.running + state.waiting < view.state.running + view.state.waiting)
        view.avoidedUntil = 0
      view.hear(state, this.#front)
    } else this.#views.set(state.node, new WorkerView(state))
    for (const handle of this.#changeHandlers) handle()
  }

  /**
   * Counts the silence of workers, but not the time in which the engine was away or this process stood
   * still: a front that pauses often would never give a worker up.
   */
  #countSilence(): void {
    const now = performance.now()
    const elapsedMs = Math.min(now - this.#countedAt, ASK_MS * 2)
    this.#countedAt = now
    if (!this.#engine.health.isAnswering) return
    for (const view of this.all) view.silentMs += elapsedMs
  }

  /** Asks the workers that perform calls of this front whether they are there. */
  async #askUsed(): Promise<void> {
    const now = performance.now()
    for (const [name, view] of this.#views) {
      if (now - view.heardAt > FORGET_MS && view.calls === 0) this.#views.delete(name)
    }
    if (!this.#engine.health.isAnswering) {
      for (const view of this.all) view.unheardSince = undefined
      return
    }
    const used = this.all.filter(({ calls }) => calls > 0)
    await Promise.all(used.map(async (view) => await this.#ask(view)))
  }

  async #ask(view: WorkerView): Promise<void> {
    const { node } = view.state
    try {
      const body = encodeMessage({ op: 'ask', call: '' })
      const answer = decodeMessage(await this.#engine.request(`w.${node}.ctl`, body, ASK_MS)) as
        | AskAnswer
        | undefined
      view.unheardSince = undefined
      // Another start of the node answered: what the earlier one performed is gone.
      const start = answer?.start
      if (typeof start === 'string' && start !== view.state.start) view.restart(start)
    } catch (error) {
      // Silence alone may be load, or a stopped process: the heartbeats decide about it.
      if (error instanceof NoReceiverError) view.unheardSince ??= performance.now()
      else view.unheardSince = undefined
    }
  }
}

function drawOne<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(Math.random() * all.length)]
}
