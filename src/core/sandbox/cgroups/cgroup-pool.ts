import { randomUUID } from 'node:crypto'
import { makeControlGroup } from './cgroup.ts'
import type { AskedGroup, ControlGroup } from './control-group.ts'

/**
 * Control groups for one run after the other: making and removing them holds the whole process up
 * for longer than a short run takes. A group is used again only when all of its last run is dead and
 * the kernel's counters are as they were before it.
 */
export class ControlGroups {
  #free: { key: string; group: ControlGroup }[] = []
  #most: number
  #isOver = false

  /** At most so many wait for a run. */
  constructor(most: number) {
    this.#most = most
  }

  /** An empty group with these limits; undefined where none can be made. */
  take(limits: AskedGroup): ControlGroup | undefined {
    const key = groupKey(limits)
    const at = this.#free.findIndex((each) => each.key === key)
    const [found] = at === -1 ? [] : this.#free.splice(at, 1)
    const group = found?.group ?? makeControlGroup(`warm-${randomUUID()}`, limits)
    return group && { ...group, remove: async () => await this.#giveBack(key, group) }
  }

  /** Removes all that wait; what is in use is removed when its run ends. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#free.splice(0).map(async ({ group }) => await group.remove()))
  }

  async #giveBack(key: string, group: ControlGroup): Promise<void> {
    const isKept = !this.#isOver && this.#free.length < this.#most && group.renew?.() === true
    if (!isKept) return await group.remove()
    this.#free.push({ key, group })
  }
}

/** The same for limits that one group can serve. */
export function groupKey({ memoryBytes, totalMemoryBytes, processes }: AskedGroup): string {
  return [memoryBytes, totalMemoryBytes, processes].join(' ')
}
