import { closeSync, constants, openSync, statfsSync } from 'node:fs'
import type { EndReason, Limits } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'

const POLL_MS = 50
/** So many looks at what does nothing are one. */
const IDLE_CHECK_INTERVAL = 10
/** Who has computed for so long lets others go first: short runs stay short. */
const LONG_CPU_MS = 500
/** Who was refused a process this shortly before memory ran out was multiplying. */
const RECENT_REFUSAL_MS = 1000

/** What a run's limits came to, known in its end. */
interface LimitHits {
  memoryHit: boolean
  totalHit: boolean
  processesHit: boolean
  processesHitLast: boolean
  cpuMs: number | undefined
}

export interface LimitWatchOptions {
  limits: Limits
  group: ControlGroup | undefined
  kill(why: EndReason): void
}

/** Looks at what the kernel counts but does not bound, and ends a run that is over a limit. */
export class LimitWatch {
  #options: LimitWatchOptions
  #folderFds: number[] = []
  #refused = 0
  #refusedAt = -Infinity
  #timer: NodeJS.Timeout
  #isOver = false
  #hasYielded = false
  #usedMs: number | undefined
  #checks = 0

  constructor(watched: LimitWatchOptions) {
    this.#options = watched
    this.#timer = setInterval(() => this.#check(), POLL_MS)
  }

  /** Counts files in these from now on, each the top of a file system that is the run's own. */
  countFilesIn(folders: readonly string[]): void {
    // Held open: a number of a process may mean another one soon after its death, and where its mounts
    // are gone these paths lead to what lies below.
    if (this.#isOver) return
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
    for (const folder of folders) {
      this.#folderFds.push(openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }
  }

  /** It was told to end: what it does until then is over in a moment. */
  pause(): void {
    clearInterval(this.#timer)
  }

  /** The last look, when every process is dead; what is held open is let go. */
  finish(): LimitHits {
    this.#isOver = true
    clearInterval(this.#timer)
    for (const fd of this.#folderFds.splice(0)) closeSync(fd)
    this.#countRefusals()
    const { group } = this.#options
    const memoryHit = group?.memoryHit() ?? false
    return {
      memoryHit,
      totalHit: memoryHit && (group?.totalHit() ?? false),
      processesHit: this.#refused > 0,
      processesHitLast: performance.now() - this.#refusedAt < RECENT_REFUSAL_MS,
      cpuMs: group?.cpuMs?.(),
    }
  }

  #check(): void {
    const { group } = this.#options
    const usedMs = group?.cpuMs?.()
    if (this.#canSkipCheck(usedMs)) return
    this.#countRefusals()
    const why = this.#findExceededLimit(usedMs ?? 0)
    if (why !== undefined) this.#options.kill(why)
    else if ((usedMs ?? 0) > LONG_CPU_MS && !this.#hasYielded) {
      this.#hasYielded = true
      group?.lowerPriority?.()
    }
  }

  #findExceededLimit(usedMs: number): EndReason | undefined {
    const { group, limits } = this.#options
    // Where only the largest process was taken, the others go with it.
    if (group?.memoryHit()) return 'memory'
    if (usedMs >= limits.cpuMs) return 'cpu'
    return this.#countFiles() > limits.inodes ? 'inodes' : undefined
  }

  /** Who computed nothing did nothing else either: hundreds may lie and wait for somebody to type. */
  #canSkipCheck(usedMs: number | undefined): boolean {
    this.#checks += 1
    const isIdle = usedMs !== undefined && usedMs === this.#usedMs
    this.#usedMs = usedMs
    return isIdle && this.#checks % IDLE_CHECK_INTERVAL !== 0
  }

  #countRefusals(): void {
    const refused = this.#options.group?.refusedProcesses() ?? 0
    if (refused > this.#refused) this.#refusedAt = performance.now()
    this.#refused = refused
  }

  #countFiles(): number {
    let sum = 0
    for (const fd of this.#folderFds) {
      const { files, ffree } = statfsSync(`/proc/self/fd/${fd}`)
      // Its top folder is one.
      sum += files - ffree - 1
    }
    return sum
  }
}
