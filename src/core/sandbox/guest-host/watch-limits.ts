import { closeSync, constants, openSync, statfsSync } from 'node:fs'
import type { EndReason, Limits, SandboxUse } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { RunMemory } from './run-memory.ts'

const POLL_MS = 50
/** Checks only every tenth time while the run is idle. */
const IDLE_CHECK_INTERVAL = 10
/** Processor time after which a run gets a lower priority, so that short runs are not delayed. */
const LONG_CPU_MS = 500
/** A process refused this shortly before memory ran out indicates a fork bomb. */
const RECENT_REFUSAL_MS = 1000

/** Limits that a run reached, known at its end. */
interface LimitHits {
  memoryHit: boolean
  totalHit: boolean
  processesHit: boolean
  processesHitLast: boolean
  cpuMs: number | undefined
  use: SandboxUse
}

/** Paths of a run to watch, by which this process reaches them. */
interface WatchedPaths {
  /** Each is the root of a filesystem of this run. */
  folders: readonly string[]
  /** The one of them that is the workspace. */
  workspace: string
  /** The run's procfs, and the folder of its network, if its memory is counted there. */
  memory: { procfs: string; network: string } | undefined
}

export interface LimitWatchOptions {
  limits: Limits
  group: ControlGroup | undefined
  /** True if the kernel's end of one process leaves the others. */
  survivesMemory: boolean
  kill(why: EndReason): void
}

/** Polls resources that the kernel counts but does not limit, and kills a run that exceeds one. */
export class LimitWatch {
  #options: LimitWatchOptions
  #folderFds: number[] = []
  #workspaceFd: number | undefined
  #memory: RunMemory | undefined
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

  /** Counts files in the folders from now on, and memory by the processes in the procfs. */
  watchInside({ folders, workspace, memory }: WatchedPaths): void {
    // Keeps descriptors open: a PID can be reused soon after its process died, and once its mounts
    // are gone, these paths lead to the folders below them.
    if (this.#isOver) return
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
    // An attempt that failed may have opened some.
    for (const fd of this.#folderFds.splice(0)) closeSync(fd)
    this.#workspaceFd = undefined
    for (const folder of folders) {
      const fd = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      this.#folderFds.push(fd)
      if (folder === workspace) this.#workspaceFd = fd
    }
    if (memory === undefined) return
    this.#memory = new RunMemory({
      ...memory,
      folders: this.#folderFds,
      limit: this.#options.limits.memoryBytes,
      onExceeded: () => this.#options.kill('memory'),
    })
  }

  get memoryKills(): number {
    return this.#options.group?.memoryKills() ?? 0
  }

  holdHost(isHeld: boolean): void {
    if (isHeld) this.#timer.ref()
    else this.#timer.unref()
  }

  /** Stops polling a run that was killed; it ends in a moment. */
  pause(): void {
    clearInterval(this.#timer)
  }

  /** Last check, when every process is dead. Closes the descriptors. */
  finish(): LimitHits {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#memory?.close()
    const workspaceBytes = this.#measureWorkspace()
    for (const fd of this.#folderFds.splice(0)) closeSync(fd)
    this.#countRefusals()
    const { group } = this.#options
    const memoryHit = this.memoryKills > 0
    return {
      memoryHit,
      totalHit: memoryHit && (group?.totalHit() ?? false),
      processesHit: this.#refused > 0,
      processesHitLast: performance.now() - this.#refusedAt < RECENT_REFUSAL_MS,
      cpuMs: group?.cpuMs?.(),
      use: { ...readPeaks(group), workspaceBytes },
    }
  }

  #check(): void {
    const { group } = this.#options
    const usedMs = group?.cpuMs?.()
    if (this.#canSkipCheck(usedMs)) return
    this.#countRefusals()
    this.#memory?.check()
    const why = this.#findExceededLimit(usedMs ?? 0)
    if (why !== undefined) this.#options.kill(why)
    else if ((usedMs ?? 0) > LONG_CPU_MS && !this.#hasYielded) {
      this.#hasYielded = true
      group?.lowerPriority?.('long')
    }
  }

  #findExceededLimit(usedMs: number): EndReason | undefined {
    const { limits, survivesMemory } = this.#options
    // The kernel may have killed only the largest process; the others must go too.
    if (!survivesMemory && this.memoryKills > 0) return 'memory'
    if (usedMs >= limits.cpuMs) return 'cpu'
    return this.#countFiles() > limits.inodes ? 'inodes' : undefined
  }

  /**
   * A run that used no processor time changed nothing. Hundreds of runs may be waiting for input.
   */
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

  #measureWorkspace(): number | undefined {
    if (this.#workspaceFd === undefined) return undefined
    const { blocks, bfree, bsize } = statfsSync(`/proc/self/fd/${this.#workspaceFd}`)
    return (blocks - bfree) * bsize
  }

  #countFiles(): number {
    let sum = this.#options.group?.countFiles?.() ?? 0
    for (const fd of this.#folderFds) {
      const { files, ffree } = statfsSync(`/proc/self/fd/${fd}`)
      // The root folder itself is counted.
      sum += files - ffree - 1
    }
    return sum
  }
}

function readPeaks(group: ControlGroup | undefined): Omit<SandboxUse, 'workspaceBytes'> {
  return {
    peakMemoryBytes: group?.peakMemoryBytes?.(),
    peakProcesses: group?.peakProcesses?.(),
  }
}
