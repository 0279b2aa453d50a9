import type { AskedGroup, ControlGroup } from '../cgroups/control-group.ts'
import { ControlGroups, groupKey } from '../cgroups/cgroup-pool.ts'
import type { Leaf, LeafKind } from './leaf.ts'
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

/** What a spare is for: runs with other limits, or of another kind, have no use for it. */
interface Purpose {
  key: string
  limits: AskedGroup
  kind: LeafKind
}

/** Processes that wait for runs: to enter a group may take the kernel longer than a whole run. */
export class Spares {
  #zygote: Zygote
  #groups = new ControlGroups(MOST)
  #waiting: { key: string; spare: Spare }[] = []
  /** The purposes of those that are being made. */
  #coming: string[] = []
  #inUse = 0
  #peak = FEWEST
  #isOver = false

  constructor(zygote: Zygote) {
    this.#zygote = zygote
  }

  /** One that waits, or a new one; undefined where none can be made. */
  async take(limits: AskedGroup, kind: LeafKind): Promise<Spare | undefined> {
    const purpose = purposeOf(limits, kind)
    this.#inUse += 1
    this.#peak = Math.min(MOST, Math.max(this.#peak, this.#inUse))
    const at = this.#waiting.findIndex((each) => each.key === purpose.key)
    const [found] = at === -1 ? [] : this.#waiting.splice(at, 1)
    const spare = found?.spare ?? (await this.#make(purpose))
    if (!spare) {
      this.#inUse -= 1
      return undefined
    }
    void spare.leaf.dead.then(() => (this.#inUse -= 1))
    return spare
  }

  /** Makes as many as were lately in use at once, in the place of those for something else. */
  refill(limits: AskedGroup, kind: LeafKind): void {
    const purpose = purposeOf(limits, kind)
    const isOther = (each: { key: string }) => each.key !== purpose.key
    while (!this.#isOver && this.#countOf(purpose.key) < this.#peak) {
      if (this.#waiting.length + this.#coming.length >= MOST) {
        const other = this.#waiting.find(isOther)
        if (!other) return
        this.#drop(other)
      }
      void this.#add(purpose)
    }
  }

  #countOf(key: string): number {
    const waiting = this.#waiting.filter((each) => each.key === key)
    return waiting.length + this.#coming.filter((each) => each === key).length
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

  async #add(purpose: Purpose): Promise<void> {
    const { key } = purpose
    this.#coming.push(key)
    const spare = await this.#make(purpose)
    this.#coming.splice(this.#coming.indexOf(key), 1)
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

  async #make({ limits, kind }: Purpose): Promise<Spare | undefined> {
    if (this.#zygote.isDead) return undefined
    const leaf = this.#zygote.fork(kind)
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

function purposeOf(limits: AskedGroup, kind: LeafKind): Purpose {
  return { key: `${kind} ${groupKey(limits)}`, limits, kind }
}
