import type { ControlGroup } from '../cgroups/control-group.ts'
import type { ExecutorExit, ExecutorGuarantees, ExecutorLimit } from './executor.ts'

/** The limits that an executor enforces itself, known from how it ended. */
export class ExecutorGroup implements ControlGroup {
  readonly kind = 'cgroup2'
  readonly folders = []
  readonly cpuMs = undefined
  #guarantees: ExecutorGuarantees
  #reached: ExecutorLimit | undefined

  constructor(guarantees: ExecutorGuarantees, dead: Promise<ExecutorExit>) {
    this.#guarantees = guarantees
    void dead.then(({ reached }) => (this.#reached = reached))
  }

  async add(): Promise<void> {}

  memoryKills(): number {
    return this.#hasReached('memory') ? 1 : 0
  }

  totalHit(): boolean {
    return false
  }

  refusedProcesses(): number {
    return this.#hasReached('processes') ? 1 : 0
  }

  async remove(): Promise<void> {}

  /** A limit that was not claimed is no reason for an end. */
  #hasReached(limit: ExecutorLimit): boolean {
    return this.#reached === limit && this.#guarantees.limits.includes(limit)
  }
}
