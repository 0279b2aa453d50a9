import { randomUUID } from 'node:crypto'
import { createControlGroup } from './cgroup.ts'
import type { RequestedGroupLimits, ControlGroup } from './control-group.ts'

/**
 * Control groups for one run after the other: making and removing them holds the whole process up
 * for longer than a short run takes. A group is used again only when all of its last run is dead and
 * the kernel's counters are as they were before it.
 */
export class ControlGroupPool {
  #free: { key: string; group: ControlGroup }[] = []
  #most: number
  #isOver = false

  /** At most so many wait for a run. */
  constructor(most: number) {
    this.#most = most
  }

  /** An empty group with these limits; undefined where none can be made. */
  take(limits: RequestedGroupLimits): ControlGroup | undefined {
    const key = computeGroupKey(limits)
    const at = this.#free.findIndex((each) => each.key === key)
    const [found] = at === -1 ? [] : this.#free.splice(at, 1)
    const group = found?.group ?? createControlGroup(`warm-${randomUUID()}`, limits)
    return group && { ...group, remove: async () => await this.#release(key, group) }
  }

  /** Removes all that wait; what is in use is removed when its run ends. */
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

/** The same for limits that one group can serve. */
export function computeGroupKey({
  memoryBytes,
  totalMemoryBytes,
  processes,
}: RequestedGroupLimits): string {
  return [memoryBytes, totalMemoryBytes, processes].join(' ')
}
