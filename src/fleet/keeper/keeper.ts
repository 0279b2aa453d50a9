import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine/engine.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { isEngineAway } from '../records/repeat-while-away.ts'
import { Lease, LEASE_TIMES, type LeaseTimes } from './lease.ts'
import { runJobs, type KeeperJob, type OnJobProblem } from './run-jobs.ts'
import { Term } from './term.ts'

export interface KeeperOptions {
  identity: NodeIdentity
  /** Creates the jobs of one term. Those of one list run one after the other. */
  createJobs: () => readonly (readonly KeeperJob[])[]
  onProblem: OnJobProblem
  times?: LeaseTimes
}

/** A node that is the keeper of its fleet whenever no other one is. */
export interface Keeper {
  /** True while this node has the lease. */
  readonly isWorking: boolean
  /** Stops the jobs at once, and gives the lease back. */
  stop(): Promise<void>
}

/** Longest wait for the engine when a keeper stops. */
const RELEASE_MS = 1000

export function startKeeper(engine: Engine, options: KeeperOptions): Keeper {
  return new LeasedKeeper(engine, options)
}

class LeasedKeeper implements Keeper {
  #engine: Engine
  #options: KeeperOptions
  #times: LeaseTimes
  #lease: Lease
  #stopped = new AbortController()
  #term: Term | undefined
  #reported = ''
  #following: Promise<void>

  constructor(engine: Engine, options: KeeperOptions) {
    this.#engine = engine
    this.#options = options
    this.#times = options.times ?? LEASE_TIMES
    this.#lease = new Lease(engine, options.identity, this.#times)
    this.#following = this.#follow()
  }

  get isWorking(): boolean {
    return this.#term?.isHeld === true
  }

  async stop(): Promise<void> {
    const hadLease = this.isWorking
    this.#stopped.abort()
    this.#term?.end()
    const release = async () => {
      await this.#following
      if (hadLease) await this.#lease.release()
    }
    const limit = new AbortController()
    await Promise.race([
      release().catch(() => {}),
      sleep(RELEASE_MS, undefined, { signal: limit.signal }).catch(() => {}),
    ])
    limit.abort()
  }

  /** Tries to take the lease again and again, and works while this node has it. */
  async #follow(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const term = new Term(this.#times.validMs)
      try {
        const isTaken = await this.#extendTerm(term, async () => await this.#lease.take())
        if (isTaken) await this.#serve(term)
      } catch (error) {
        this.#report(error)
      } finally {
        term.end()
      }
      await this.#pause(signal)
    }
  }

  async #serve(term: Term): Promise<void> {
    if (this.#stopped.signal.aborted) return
    this.#term = term
    const { createJobs, onProblem } = this.#options
    for (const jobs of createJobs()) {
      void runJobs({ engine: this.#engine, term, onProblem }, jobs)
    }
    while (term.isHeld) {
      await this.#pause(term.signal)
      if (!term.isHeld) return
      if (!(await this.#extendTerm(term, async () => await this.#lease.renew()))) return
    }
  }

  /** Extends the term if the lease was written. False if it was not, or the term ended meanwhile. */
  async #extendTerm(term: Term, write: () => Promise<boolean>): Promise<boolean> {
    const extend = term.beginRenewal()
    if (!(await write())) return false
    extend()
    return term.isHeld
  }

  /** Reports why the lease cannot be written, once. An engine that is away is no problem of the keeper. */
  #report(error: unknown): void {
    const text = String(error)
    if (isEngineAway(error) || text === this.#reported) return
    this.#reported = text
    this.#options.onProblem('Taking the lease of the keeper', error)
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#times.renewMs, undefined, { signal }).catch(() => {})
  }
}
