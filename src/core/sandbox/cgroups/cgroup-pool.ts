import { randomUUID } from 'node:crypto'
import { createControlGroup } from './cgroup.ts'
import type { RequestedGroupLimits, ControlGroup } from './control-group.ts'

/**
 * Reuses control groups between runs, since creating and removing them blocks this process for
 * longer than a short run takes. A group is reused only when all processes of its last run are dead
 * and its counters can be reset.
 */
export class ControlGroupPool {
  #free: { key: string; group: ControlGroup }[] = []
  #most: number
  #isOver = false

  /** `most` limits the number of idle groups. */
  constructor(most: number) {
    this.#most = most
  }

  /** Returns an empty group with these limits; undefined if none can be created. */
  take(limits: RequestedGroupLimits): ControlGroup | undefined {
    const key = computeGroupKey(limits)
    const at = this.#free.findIndex((each) => each.key === key)
    const [found] = at === -1 ? [] : this.#free.splice(at, 1)
    const group = found?.group ?? createControlGroup(`warm-${randomUUID()}`, limits)
    return group && { ...group, remove: async () => await this.#release(key, group) }
  }

  /** Removes all idle groups. A group in use is removed when its run ends. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#free.splice(0).map(async ({ group }) => await group.remove()))
  }

  async #release(key: string, group: ControlGroup): Promise<void> {
    const isKept = !this.#isOver && this.#free.length < this.#most && group.reset?.() === true
    if (!isKept) return await group.remove()
    this.#free.push({ key, group })
  }
}

/** Computes a key that is equal for limits that one group can serve. */
export function computeGroupKey({
  memoryBytes,
  totalMemoryBytes,
  processes,
}: RequestedGroupLimits): string {
  return [memoryBytes, totalMemoryBytes, processes].join(' ')
}
