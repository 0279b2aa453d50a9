import type { RequestedGroupLimits, ControlGroup } from '../cgroups/control-group.ts'
import { ControlGroupPool, computeGroupKey } from '../cgroups/cgroup-pool.ts'
import type { ForkedGuest, GuestKind } from './forked-guest.ts'
import type { Zygote } from './zygote.ts'

/** A forked process that waits in a control group of its own; serves exactly one run. */
export interface IdleFork {
  guest: ForkedGuest
  pid: number
  /** Control group that contains the process; undefined if none can be created. */
  group: ControlGroup | undefined
}

/** Time for the zygote to fork before it is replaced. */
const FORK_TIMEOUT_MS = 5000
const MIN_IDLE = 2
/** Bounded, because idle forks use memory. */
const MAX_IDLE = 8

/** Kind and limits of a fork; runs with others cannot use it. */
interface ForkPurpose {
  key: string
  limits: RequestedGroupLimits
  kind: GuestKind
}

/**
 * Keeps idle forks ready, because joining a control group can take the kernel longer than a whole
 * short run.
 */
export class ForkPool {
  #zygote: Zygote
  #groups = new ControlGroupPool(MAX_IDLE)
  #idle: { key: string; fork: IdleFork }[] = []
  /** Keys of the forks that are being created. */
  #pendingKeys: string[] = []
  #inUse = 0
  #peak = MIN_IDLE
  #isOver = false

  constructor(zygote: Zygote) {
    this.#zygote = zygote
  }

  /** Takes an idle fork or creates one; undefined if that fails. */
  async take(limits: RequestedGroupLimits, kind: GuestKind): Promise<IdleFork | undefined> {
    const purpose = createPurpose(limits, kind)
    this.#inUse += 1
    this.#peak = Math.min(MAX_IDLE, Math.max(this.#peak, this.#inUse))
    const at = this.#idle.findIndex((each) => each.key === purpose.key)
    const [found] = at === -1 ? [] : this.#idle.splice(at, 1)
    const fork = found?.fork ?? (await this.#forkInGroup(purpose))
    if (!fork) {
      this.#inUse -= 1
      return undefined
    }
    void fork.guest.dead.then(() => (this.#inUse -= 1))
    return fork
  }

  /**
   * Creates as many idle forks as were recently in use at once. They replace idle forks with
   * another purpose.
   */
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

  /** Call periodically: removes forks above the recent peak of use. */
  shrink(): void {
    this.#peak = Math.max(MIN_IDLE, this.#inUse, Math.floor(this.#peak / 2))
    for (const each of this.#idle.slice(this.#peak)) this.#removeIdle(each)
  }

  /** Discards all idle forks. */
  stop(): void {
    this.#isOver = true
    for (const each of this.#idle.splice(0)) this.discard(each.fork)
    void this.#groups.stop()
  }

  async #addIdle(purpose: ForkPurpose): Promise<void> {
    const { key } = purpose
    this.#pendingKeys.push(key)
    const fork = await this.#forkInGroup(purpose)
    this.#pendingKeys.splice(this.#pendingKeys.indexOf(key), 1)
    if (!fork) return
    if (this.#isOver) return this.discard(fork)
    const entry = { key, fork }
    this.#idle.push(entry)
    await fork.guest.dead
    if (this.#idle.includes(entry)) this.#removeIdle(entry)
  }

  #removeIdle(entry: { key: string; fork: IdleFork }): void {
    this.#idle = this.#idle.filter((each) => each !== entry)
    this.discard(entry.fork)
  }

  /** Kills a fork that is not used. */
  discard({ guest, group }: IdleFork): void {
    guest.kill()
    guest.destroy()
    void guest.dead.then(async () => await group?.remove())
  }

  async #forkInGroup({ limits, kind }: ForkPurpose): Promise<IdleFork | undefined> {
    if (this.#zygote.isDead) return undefined
    const guest = this.#zygote.fork(kind)
    const timer = setTimeout(() => guest.kill(), FORK_TIMEOUT_MS)
    const forked = await guest.forked
    clearTimeout(timer)
    if (!forked) {
      guest.destroy()
      return undefined
    }
    const group = this.#groups.take(limits)
    const fork = { guest, ...forked, group }
    try {
      await group?.add(forked.pid)
      return fork
    } catch {
      this.discard(fork)
      return undefined
    }
  }
}

function createPurpose(limits: RequestedGroupLimits, kind: GuestKind): ForkPurpose {
  return { key: `${kind} ${computeGroupKey(limits)}`, limits, kind }
}
