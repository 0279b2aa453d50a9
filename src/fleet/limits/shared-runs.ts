import type { Engine } from '../engine/engine.ts'
import { takeInTime } from '../engine/take-in-time.ts'
import { computeAllotment, type ComputedAllotment, type StoredAllotments } from './allotment.ts'
import type { SharedClock } from './engine-time.ts'
import { nameLimit } from './shared-accounts.ts'
import { updateValue } from './update-value.ts'

/** Time between two writes of an allotment that is used. */
const RENEW_MS = 1000
/** Time between two tries while runs wait for a larger allotment. */
const RETRY_MS = 250
/** Time that a run waits for the engine before it waits in the queue. */
const PREPARE_MS = 1000

export interface SharedRunsOptions {
  engine: Engine
  clock: SharedClock
  /** Name of this front. */
  front: string
  /** Concurrent runs of an account at this front. */
  countRunning: (account: string) => number
  /** Called when the runs of an account may begin. */
  onGrown: () => void
}

/**
 * Concurrent runs of accounts over all fronts. Each front has an allotment of each account that it uses,
 * which it renews, and which expires if the front is gone.
 */
export class SharedRuns {
  #options: SharedRunsOptions
  #accounts = new Map<string, AccountRuns>()

  constructor(options: SharedRunsOptions) {
    this.#options = options
  }

  /** The runs of an account, of which all fronts together may have `most`. */
  open(name: string, most: number): AccountRuns {
    const runs = this.#accounts.get(name) ?? new AccountRuns(this.#options, name)
    runs.most = most
    this.#accounts.set(name, runs)
    for (const [each, { isIdle }] of this.#accounts) {
      if (isIdle && each !== name) this.#accounts.delete(each)
    }
    return runs
  }

  find(name: string): AccountRuns | undefined {
    return this.#accounts.get(name)
  }

  /** Gives all allotments up that no run uses. */
  async stop(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map(async (each) => await each.stop()))
  }
}

/** Runs of one account at this front. */
export class AccountRuns {
  most = 0
  #options: SharedRunsOptions
  #name: string
  #waiting = 0
  #allotted = 0
  /** When the allotment expires, on the clock of the engine. */
  #until = 0
  #isContended = false
  #isStopped = false
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: SharedRunsOptions, name: string) {
    this.#options = options
    this.#name = name
  }

  get #running(): number {
    return this.#options.countRunning(this.#name)
  }

  /** Runs that this front may have. An expired allotment allows no more than there are. */
  get allotted(): number {
    return this.#options.clock.now < this.#until ? this.#allotted : this.#running
  }

  /** True if nothing is stored and nothing waits. */
  get isIdle(): boolean {
    return this.#running + this.#waiting + this.#allotted === 0 && !this.#writing
  }

  /** Notes a run that waits, and asks for an allotment once. Returns a function that ends the wait. */
  async startWaiting(): Promise<() => void> {
    this.#waiting += 1
    if (this.#running + this.#waiting > this.allotted) await takeInTime(this.#write(), PREPARE_MS)
    return () => void (this.#waiting -= 1)
  }

  /** Notes the end of a run. */
  endRun(): void {
    if (this.#isContended) void this.#write()
    else this.#writeLater()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    if (this.#running > 0 || this.#allotted === 0) return
    await takeInTime(this.#write(), PREPARE_MS)
  }

  /** Writes the allotment. Resolves when a write that began after the call has ended. */
  async #write(): Promise<void> {
    const before = this.#writing
    if (before) await before
    // Another caller that waited has begun one.
    if (this.#writing && this.#writing !== before) return await this.#writing
    this.#writing = this.#writeNow().finally(() => (this.#writing = undefined))
    await this.#writing
  }

  async #writeNow(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { engine, clock, front, onGrown } = this.#options
    let computed: ComputedAllotment | undefined
    const before = this.#allotted
    const change = (value: object | undefined): StoredAllotments => {
      const demand = {
        front,
        running: this.#running,
        waiting: this.#waiting,
        most: this.most,
      }
      computed = computeAllotment(value, demand, clock.now)
      // Runs that are given up do not begin here from now on.
      this.#allotted = Math.min(this.#allotted, computed.own.n)
      return computed.stored
    }
    try {
      await updateValue(engine, nameLimit('runs', this.#name), change)
      if (!computed) return
      this.#allotted = computed.own.n
      this.#until = computed.own.until
      this.#isContended = computed.isContended
      if (computed.own.n > before) onGrown()
    } catch {
      // The engine is away. The allotment expires, and is written again later.
    }
    this.#writeLater()
  }

  #writeLater(): void {
    const isUsed = this.#running + this.#waiting + this.#allotted > 0
    if (this.#isStopped || !isUsed) return
    const isShort = this.#running + this.#waiting > this.allotted
    this.#timer ??= setTimeout(() => void this.#write(), isShort ? RETRY_MS : RENEW_MS).unref()
  }
}
