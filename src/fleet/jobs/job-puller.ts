import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageQueue } from '../engine/engine.ts'
import type { Worker } from '../worker/worker.ts'
import { performQueued, type JobServices } from './perform-job.ts'

type JobWorker = Pick<Worker, 'freeForJobs' | 'occupyPlace' | 'onPlacesChanged'>

export interface PullerOptions extends JobServices {
  queue: MessageQueue
  worker: JobWorker
}

/** Pause after a pull without a message, so that an engine that refuses pulls is not flooded. */
const PAUSE_MS = 50

/** Pulls one job for each place of a worker that is free for jobs. */
export class JobPuller {
  #options: PullerOptions
  /** Pulls that wait for a job. */
  #pulls = new Set<AbortController>()
  #handling = new Set<Promise<void>>()
  #isStopped = false
  #stopWatching: () => void

  constructor(options: PullerOptions) {
    this.#options = options
    this.#stopWatching = options.worker.onPlacesChanged(() => this.#adjust())
    this.#adjust()
  }

  /** Pulls no more. Jobs that were not delivered yet are left to other workers. */
  stop(): void {
    this.#isStopped = true
    this.#stopWatching()
    for (const pull of this.#pulls) pull.abort()
  }

  /** Resolves when each delivered job was acknowledged or returned. */
  async finish(): Promise<void> {
    this.stop()
    await Promise.all(this.#handling)
  }

  /** Begins and ends pulls, until there is one for each free place. */
  #adjust(): void {
    const wanted = this.#isStopped ? 0 : this.#options.worker.freeForJobs
    for (const pull of [...this.#pulls].slice(wanted)) {
      this.#pulls.delete(pull)
      pull.abort()
    }
    while (this.#pulls.size < wanted) this.#begin()
  }

  #begin(): void {
    const pull = new AbortController()
    this.#pulls.add(pull)
    const handling = this.#pull(pull).finally(() => {
      this.#handling.delete(handling)
      this.#pulls.delete(pull)
      this.#adjust()
    })
    this.#handling.add(handling)
  }

  async #pull(pull: AbortController): Promise<void> {
    const { queue, worker } = this.#options
    const message = await queue.pull(pull.signal)
    if (!message) {
      await sleep(PAUSE_MS, undefined, { signal: pull.signal }).catch(() => {})
      return
    }
    this.#pulls.delete(pull)
    const leave = worker.occupyPlace()
    await performQueued(this.#options, message, queue.ackWaitMs).finally(leave)
  }
}
