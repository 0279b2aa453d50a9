import { BoundedRunQueue, type RunQueueLimits } from '../../core/runs/queue/run-queue.ts'

interface FleetQueueOptions {
  waiting: number
  /** Concurrent runs of one caller; undefined for a half of all places, if there are several callers. */
  perCaller: number | undefined
  hasSeveralCallers: boolean
}

/** The queue of a front, whose number of runs is that of the places of all workers. */
export class FleetQueue extends BoundedRunQueue {
  #options: FleetQueueOptions
  #capacity = 1

  constructor(options: FleetQueueOptions) {
    super(computeLimits(options, 1))
    this.#options = options
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
