import { statfsSync, statSync } from 'node:fs'
import { measureFolder, type FolderSize } from '../rootfs/measure-folder.ts'
import { measureOpenFiles } from './open-files.ts'
import type { VisitedProcesses } from './run-processes.ts'

const POLL_MS = 50
/** Most short runs have ended by then; `finish` checks those. */
const FIRST_CHECK_MS = 250
/** Smaller changes are ignored, since other processes write to the same disk. */
const MIN_BYTES = 1024 ** 2
const MIN_FILES = 1000
/**
 * Other programs free space as well, which hides what a run takes. So it is counted at these
 * intervals, too, but for a small share of the time only.
 */
const MIN_INTERVAL_MS = 2000
const INTERVAL_PER_MEASURE = 50
/** Pause while writes fail, so that room is noticed soon. */
const REST_PER_MEASURE = 5
/** Times are compared with those of the kernel, whose clock is coarser. */
const CLOCK_MS = 20
/** Growth that is no reason for an end while writes fail, such as empty folders. */
const TOLERATED: FolderSize = { bytes: 16 * 1024 ** 2, entries: MIN_FILES }
/** Checks in a row that must find files that cannot be counted: programs pass descriptors on. */
const HIDDEN_CHECKS = 3

/** A folder of the host that a run writes to. */
export interface DiskFolder {
  path: string
  /** `all`: its whole content is limited. `growth`: what the run writes. */
  counts: 'all' | 'growth'
}

interface DiskWatchOptions {
  folders: readonly DiskFolder[]
  limit: FolderSize
  /** Makes writes fail while the limit is exceeded. Without it, exceeding the limit ends the run. */
  onFull: ((isFull: boolean) => void) | undefined
  /** Called once, when the run has to end. */
  onExceeded: (why: 'disk' | 'hidden files') => void
}

/**
 * Bounds folders on a shared disk, with the deleted files that the run keeps open. Counting is slow,
 * so it happens only when the free space of the disk has dropped by enough to fill them.
 */
export class DiskWatch {
  #options: DiskWatchOptions
  #limit: FolderSize
  #mostMeasured: FolderSize
  #timer: NodeJS.Timeout
  #firstCheck: NodeJS.Timeout
  #measuring: Promise<void> | undefined
  #freeAtStart: FolderSize
  #freeAtLastMeasure: FolderSize
  #mostFreeBytes: number
  #nextMeasureMs = Infinity
  #remaining: FolderSize
  #startedMs = Date.now() - CLOCK_MS
  #devices: ReadonlySet<number>
  #processes: VisitedProcesses | undefined
  #hiddenChecks = 0
  /** True while writes fail. */
  #refusesWrites = false
  /** Below it, a run ends although its writes fail. */
  #leastRemaining: FolderSize | undefined
  #restUntilMs = 0
  #isFull = false
  #isOver = false

  constructor(watched: DiskWatchOptions) {
    this.#options = watched
    this.#limit = watched.limit
    this.#remaining = watched.limit
    this.#mostMeasured = watched.onFull ? add(watched.limit, watched.limit) : watched.limit
    this.#freeAtStart = this.#readFree()
    this.#freeAtLastMeasure = this.#freeAtStart
    this.#mostFreeBytes = this.#freeAtStart.bytes
    this.#devices = new Set(watched.folders.flatMap(({ path }) => readDevice(path)))
    this.#timer = setInterval(() => this.#check(), POLL_MS)
    this.#firstCheck = setTimeout(() => this.#check(true), FIRST_CHECK_MS)
  }

  /** Counts their open files from now on. Must be called before code of the run starts. */
  watchProcesses(processes: VisitedProcesses | undefined): void {
    this.#processes = processes
  }

  holdHost(isHeld: boolean): void {
    for (const timer of [this.#timer, this.#firstCheck]) {
      if (isHeld) timer.ref()
      else timer.unref()
    }
  }

  /** Stops checking a run that was killed: its outcome no longer depends on this limit. */
  pause(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    clearTimeout(this.#firstCheck)
  }

  /** Last check, when nothing writes any more. Returns true if the limit was exceeded. */
  async finish(): Promise<boolean> {
    const wasPaused = this.#isOver
    this.pause()
    await this.#measuring
    this.#processes = undefined
    if (!this.#isFull && !wasPaused && this.#hasShrunk({ bytes: MIN_BYTES, entries: MIN_FILES })) {
      await this.#measure()
    }
    return this.#isFull
  }

  #check(isForced = false): void {
    if (this.#measuring !== undefined || this.#isFull) return
    const { bytes, entries } = this.#remaining
    const threshold = {
      bytes: Math.max(MIN_BYTES, bytes / 2),
      entries: Math.max(MIN_FILES, entries / 2),
    }
    const hasShrunk = this.#hasShrunk(threshold)
    const isDue =
      isForced ||
      this.#hiddenChecks > 0 ||
      performance.now() > this.#nextMeasureMs ||
      this.#mayHaveRoom()
    if (isDue || hasShrunk) this.#measuring = this.#measure()
  }

  async #measure(): Promise<void> {
    const startedMs = performance.now()
    this.#freeAtLastMeasure = this.#readFree()
    const taken = subtract(this.#freeAtStart, this.#freeAtLastMeasure)
    const { hasHidden, ...open } = await this.#measureOpenFiles()
    const content = await this.#measureFolders('all')
    const growth = await this.#measureGrowth()
    // Other programs may change such a folder or fill the disk, but both at once is the run.
    const used = growth === undefined ? open : takeLower(add(open, growth), taken)
    this.#remaining = subtract(this.#limit, add(content, used))
    const lostBytes = this.#mostFreeBytes - this.#freeAtLastMeasure.bytes
    this.#hiddenChecks = hasHidden && lostBytes > this.#limit.bytes ? this.#hiddenChecks + 1 : 0
    if (this.#isExceeded()) this.#end('disk')
    else if (this.#hiddenChecks >= HIDDEN_CHECKS) this.#end('hidden files')
    const costMs = performance.now() - startedMs
    this.#restUntilMs = performance.now() + REST_PER_MEASURE * costMs
    this.#nextMeasureMs =
      performance.now() + Math.max(MIN_INTERVAL_MS, INTERVAL_PER_MEASURE * costMs)
    this.#measuring = undefined
  }

  /** Makes writes fail as long as the folders are full; true if the run has to end. */
  #isExceeded(): boolean {
    const { onFull } = this.#options
    const isFull = isNegative(this.#remaining)
    if (!onFull) return isFull
    if (isFull || this.#refusesWrites) onFull(isFull)
    if (!isFull) this.#leastRemaining = undefined
    // The first size includes what was written before writes failed.
    else if (this.#refusesWrites) {
      this.#leastRemaining ??= subtract(this.#remaining, TOLERATED)
    }
    this.#refusesWrites = isFull
    const least = this.#leastRemaining ?? this.#remaining
    return [add(this.#remaining, this.#limit), subtract(this.#remaining, least)].some(isNegative)
  }

  #end(why: 'disk' | 'hidden files'): void {
    if (this.#isFull) return
    this.#isFull = true
    this.#options.onExceeded(why)
  }

  async #measureOpenFiles(): Promise<FolderSize & { hasHidden: boolean }> {
    if (!this.#processes || this.#isOver) return { bytes: 0, entries: 0, hasHidden: false }
    return await measureOpenFiles(this.#processes, this.#devices)
  }

  async #measureGrowth(): Promise<FolderSize | undefined> {
    if (this.#options.folders.every(({ counts }) => counts === 'all')) return undefined
    return await this.#measureFolders('growth')
  }

  async #measureFolders(kind: DiskFolder['counts']): Promise<FolderSize> {
    let sum = { bytes: 0, entries: 0 }
    for (const { path, counts } of this.#options.folders) {
      if (counts !== kind) continue
      const changedSince = kind === 'growth' ? this.#startedMs : -Infinity
      sum = add(sum, await measureFolder(path, this.#mostMeasured, { changedSince }))
    }
    return sum
  }

  /** True if files may have been removed, or if writes fail only now. */
  #mayHaveRoom(): boolean {
    if (!this.#refusesWrites || performance.now() < this.#restUntilMs) return false
    const { bytes, entries } = subtract(this.#freeAtLastMeasure, this.#readFree())
    const hasFreed = bytes <= -MIN_BYTES || entries <= -MIN_FILES
    return this.#leastRemaining === undefined || hasFreed
  }

  #hasShrunk(change: FolderSize): boolean {
    const free = this.#readFree()
    this.#mostFreeBytes = Math.max(this.#mostFreeBytes, free.bytes)
    const { bytes, entries } = subtract(this.#freeAtLastMeasure, free)
    return bytes >= change.bytes || entries >= change.entries
  }

  /** Free space and inodes, summed over the disks of all folders. */
  #readFree(): FolderSize {
    const free = new Map<number, FolderSize>()
    for (const { path } of this.#options.folders) {
      try {
        const { bfree, bsize, ffree } = statfsSync(path)
        const { dev } = statSync(path)
        free.set(dev, { bytes: bfree * bsize, entries: ffree })
      } catch {
        // The folder was removed with its content.
      }
    }
    return [...free.values()].reduce(add, { bytes: 0, entries: 0 })
  }
}

function readDevice(path: string): number[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? [stat.dev] : []
}

function add(a: FolderSize, b: FolderSize): FolderSize {
  return { bytes: a.bytes + b.bytes, entries: a.entries + b.entries }
}

function subtract(a: FolderSize, b: FolderSize): FolderSize {
  return { bytes: a.bytes - b.bytes, entries: a.entries - b.entries }
}

function isNegative({ bytes, entries }: FolderSize): boolean {
  return bytes < 0 || entries < 0
}

function takeLower(a: FolderSize, b: FolderSize): FolderSize {
  return { bytes: Math.min(a.bytes, b.bytes), entries: Math.min(a.entries, b.entries) }
}
