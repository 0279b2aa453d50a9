import {
  BoundedRunQueue,
  type RunQueueLimits,
  type RunSlot,
} from '../../core/runs/queue/run-queue.ts'
import { isTokenAccount } from '../limits/shared-accounts.ts'
import { SharedRuns, type SharedRunsOptions } from '../limits/shared-runs.ts'

interface FleetQueueOptions {
  waiting: number
  /** Concurrent runs of one caller; undefined for a half of all places, if there are several callers. */
  perCaller: number | undefined
  hasSeveralCallers: boolean
  /** Undefined if this front counts the runs of a caller alone. */
  shared?: Omit<SharedRunsOptions, 'onGrown' | 'countRunning'> | undefined
}

/**
 * The queue of a front, whose number of runs is that of the places of all workers. The concurrent runs of a
 * token are limited over all fronts.
 */
export class FleetQueue extends BoundedRunQueue {
  #options: FleetQueueOptions
  #capacity = 1
  #shared: SharedRuns | undefined

  constructor(options: FleetQueueOptions) {
    super(computeLimits(options, 1))
    this.#options = options
    const { shared } = options
    this.#shared =
      shared &&
      new SharedRuns({
        ...shared,
        countRunning: (principal) => this.countActive(principal),
        onGrown: () => this.startWaiting(),
      })
  }

  override async acquire(signal: AbortSignal, principal = '', maxRuns?: number): Promise<RunSlot> {
    const most = maxRuns ?? this.limits.perPrincipal ?? Infinity
    const isLimited = isTokenAccount(principal) && most < this.limits.running
    const runs = isLimited ? this.#shared?.open(principal, most) : undefined
    if (!runs) return await super.acquire(signal, principal, maxRuns)
    const stopWaiting = await runs.startWaiting()
    try {
      const slot = await super.acquire(signal, principal, maxRuns)
      return {
        hasLowPriority: slot.hasLowPriority,
        release() {
          slot.release()
          runs.endRun()
        },
      }
    } finally {
      stopWaiting()
    }
  }

  /** Detached runs occupy places of workers, and none of a front. */
  override occupy(): RunSlot {
    return { hasLowPriority: false, release() {} }
  }

  protected override limitShare(principal: string, share: number): number {
    const allotted = share < this.limits.running && this.#shared?.find(principal)?.allotted
    return typeof allotted === 'number' ? Math.min(share, allotted) : share
  }

  /** Gives the allotments of this front up. */
  async stop(): Promise<void> {
    await this.#shared?.stop()
  }

  /** Notes the places of the workers. Calls that wait for a first worker wait elsewhere. */
  setCapacity(capacity: number): void {
    if (capacity === this.#capacity || capacity < 1) return
    this.#capacity = capacity
    super.setLimits(computeLimits(this.#options, capacity))
  }

  /** A front has only one limit of its machine: that of waiting runs. */
  override setLimits({ waiting }: RunQueueLimits): void {
    this.#options = { ...this.#options, waiting }
    super.setLimits(computeLimits(this.#options, this.#capacity))
  }
}

function computeLimits(
  { waiting, perCaller, hasSeveralCallers }: FleetQueueOptions,
  capacity: number,
): RunQueueLimits {
  const share = hasSeveralCallers ? Math.ceil(capacity / 2) : capacity
  return { running: capacity, waiting, perPrincipal: Math.min(capacity, perCaller ?? share) }
}
