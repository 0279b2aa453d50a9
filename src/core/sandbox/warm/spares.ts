import type { AskedGroup, ControlGroup } from '../cgroup.ts'
import { ControlGroups, groupKey } from '../cgroup-pool.ts'
import type { Leaf } from './leaf.ts'
import type { Zygote } from './zygote.ts'

/** A forked process in a group of its own, with all that runs have alike; for one run, once. */
export interface Spare {
  leaf: Leaf
  pid: number
  /** Where groups can be made; the process is in it. */
  group: ControlGroup | undefined
}

/** A zygote that takes longer is ended, and another one takes its place. */
const SLOW_MS = 5000
const FEWEST = 2
/** They take memory while they wait. */
const MOST = 8

/** Processes that wait for runs: to enter a group may take the kernel longer than a whole run. */
export class Spares {
  #zygote: Zygote
  #groups = new ControlGroups(MOST)
  #waiting: { key: string; spare: Spare }[] = []
  #coming = 0
  #inUse = 0
  #peak = FEWEST
  #isOver = false

  constructor(zygote: Zygote) {
    this.#zygote = zygote
  }

  /** One that waits, or a new one; undefined where none can be made. */
  async take(
    limits: AskedGroup,
    { withInput }: { withInput: boolean },
  ): Promise<Spare | undefined> {
    const key = groupKey(limits)
    this.#inUse += 1
    this.#peak = Math.min(MOST, Math.max(this.#peak, this.#inUse))
    const at = withInput ? -1 : this.#waiting.findIndex((each) => each.key === key)
    const [found] = at === -1 ? [] : this.#waiting.splice(at, 1)
    const spare = found?.spare ?? (await this.#make(limits, withInput))
    if (!spare) {
      this.#inUse -= 1
      return undefined
    }
    void spare.leaf.dead.then(() => (this.#inUse -= 1))
    return spare
  }

  /** Makes as many as were lately in use at once. */
  refill(limits: AskedGroup): void {
    const key = groupKey(limits)
    for (const other of this.#waiting.filter((each) => each.key !== key)) this.#drop(other)
    while (!this.#isOver && this.#waiting.length + this.#coming < this.#peak) {
      void this.#add(key, limits)
    }
  }

  /** To be called now and then: what was not in use for a while is not kept. */
  shrink(): void {
    this.#peak = Math.max(FEWEST, this.#inUse, Math.floor(this.#peak / 2))
    for (const each of this.#waiting.slice(this.#peak)) this.#drop(each)
  }

  /** Nothing waits any more. */
  end(): void {
    this.#isOver = true
    for (const each of this.#waiting.splice(0)) this.discard(each.spare)
    void this.#groups.end()
  }

  async #add(key: string, limits: AskedGroup): Promise<void> {
    this.#coming += 1
    const spare = await this.#make(limits, false)
    this.#coming -= 1
    if (!spare) return
    if (this.#isOver) return this.discard(spare)
    const kept = { key, spare }
    this.#waiting.push(kept)
    await spare.leaf.dead
    if (this.#waiting.includes(kept)) this.#drop(kept)
  }

  #drop(kept: { key: string; spare: Spare }): void {
    this.#waiting = this.#waiting.filter((each) => each !== kept)
    this.discard(kept.spare)
  }

  /** Ends one that is not used. */
  discard({ leaf, group }: Spare): void {
    leaf.kill()
    leaf.destroy()
    void leaf.dead.then(async () => await group?.remove())
  }

  async #make(limits: AskedGroup, withInput: boolean): Promise<Spare | undefined> {
    if (this.#zygote.isDead) return undefined
    const leaf = this.#zygote.fork(withInput)
    const late = setTimeout(() => leaf.kill(), SLOW_MS)
    const made = await leaf.made
    clearTimeout(late)
    if (!made) {
      leaf.destroy()
      return undefined
    }
    const group = this.#groups.take(limits)
    const spare = { leaf, ...made, group }
    try {
      await group?.add(made.pid)
      return spare
    } catch {
      this.discard(spare)
      return undefined
    }
  }
}
