import type { RequestedGroupLimits, ControlGroup } from '../cgroups/control-group.ts'
import { ControlGroupPool, computeGroupKey } from '../cgroups/cgroup-pool.ts'
import type { ForkedGuest, GuestKind } from './forked-guest.ts'
import type { Zygote } from './zygote.ts'

/** A forked process in a group of its own, with all that runs have alike; for one run, once. */
export interface IdleFork {
  leaf: ForkedGuest
  pid: number
  /** Where groups can be made; the process is in it. */
  group: ControlGroup | undefined
}

/** A zygote that takes longer is ended, and another one takes its place. */
const FORK_TIMEOUT_MS = 5000
const MIN_IDLE = 2
/** They take memory while they wait. */
const MAX_IDLE = 8

/** What a spare is for: runs with other limits, or of another kind, have no use for it. */
interface ForkPurpose {
  key: string
  limits: RequestedGroupLimits
  kind: GuestKind
}

/** Processes that wait for runs: to enter a group may take the kernel longer than a whole run. */
export class ForkPool {
  #zygote: Zygote
  #groups = new ControlGroupPool(MAX_IDLE)
  #idle: { key: string; spare: IdleFork }[] = []
  /** The purposes of those that are being made. */
  #pendingKeys: string[] = []
  #inUse = 0
  #peak = MIN_IDLE
  #isOver = false

  constructor(zygote: Zygote) {
    this.#zygote = zygote
  }

  /** One that waits, or a new one; undefined where none can be made. */
  async take(limits: RequestedGroupLimits, kind: GuestKind): Promise<IdleFork | undefined> {
    const purpose = createPurpose(limits, kind)
    this.#inUse += 1
    this.#peak = Math.min(MAX_IDLE, Math.max(this.#peak, this.#inUse))
    const at = this.#idle.findIndex((each) => each.key === purpose.key)
    const [found] = at === -1 ? [] : this.#idle.splice(at, 1)
    const spare = found?.spare ?? (await this.#forkInGroup(purpose))
    if (!spare) {
      this.#inUse -= 1
      return undefined
    }
    void spare.leaf.dead.then(() => (this.#inUse -= 1))
    return spare
  }

  /** Makes as many as were lately in use at once, in the place of those for something else. */
  refill(limits: RequestedGroupLimits, kind: GuestKind): void {
    const purpose = createPurpose(limits, kind)
    const isOther = (each: { key: string }) => each.key !== purpose.key
    while (!this.#isOver && this.#countForks(purpose.key) < this.#peak) {
      if (this.#idle.length + this.#pendingKeys.length >= MAX_IDLE) {
        const other = this.#idle.find(isOther)
        if (!other) return
        this.#removeIdle(other)
      }
      void this.#addIdle(purpose)
    }
  }

  #countForks(key: string): number {
    const waiting = this.#idle.filter((each) => each.key === key)
    return waiting.length + this.#pendingKeys.filter((each) => each === key).length
  }

  /** To be called now and then: what was not in use for a while is not kept. */
  shrink(): void {
    this.#peak = Math.max(MIN_IDLE, this.#inUse, Math.floor(this.#peak / 2))
    for (const each of this.#idle.slice(this.#peak)) this.#removeIdle(each)
  }

  /** Nothing waits any more. */
  stop(): void {
    this.#isOver = true
    for (const each of this.#idle.splice(0)) this.discard(each.spare)
    void this.#groups.stop()
  }

  async #addIdle(purpose: ForkPurpose): Promise<void> {
    const { key } = purpose
    this.#pendingKeys.push(key)
    const spare = await this.#forkInGroup(purpose)
    this.#pendingKeys.splice(this.#pendingKeys.indexOf(key), 1)
    if (!spare) return
    if (this.#isOver) return this.discard(spare)
    const kept = { key, spare }
    this.#idle.push(kept)
    await spare.leaf.dead
    if (this.#idle.includes(kept)) this.#removeIdle(kept)
  }

  #removeIdle(kept: { key: string; spare: IdleFork }): void {
    this.#idle = this.#idle.filter((each) => each !== kept)
    this.discard(kept.spare)
  }

  /** Ends one that is not used. */
  discard({ leaf, group }: IdleFork): void {
    leaf.kill()
    leaf.destroy()
    void leaf.dead.then(async () => await group?.remove())
  }

  async #forkInGroup({ limits, kind }: ForkPurpose): Promise<IdleFork | undefined> {
    if (this.#zygote.isDead) return undefined
    const leaf = this.#zygote.fork(kind)
    const late = setTimeout(() => leaf.kill(), FORK_TIMEOUT_MS)
    const made = await leaf.forked
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

function createPurpose(limits: RequestedGroupLimits, kind: GuestKind): ForkPurpose {
  return { key: `${kind} ${computeGroupKey(limits)}`, limits, kind }
}
