import { statfsSync } from 'node:fs'
import { measureFolder, type FolderSize } from '../rootfs/measure-folder.ts'

const POLL_MS = 50
/** Most short runs have ended by then; `finish` checks those. */
const FIRST_CHECK_MS = 250
/** Smaller changes are ignored, since other processes write to the same disk. */
const MIN_BYTES = 1024 ** 2
const MIN_FILES = 1000

interface DiskWatchOptions {
  folders: readonly string[]
  limit: FolderSize
  /** Called once, when a limit is exceeded. */
  onFull: () => void
}

/**
 * Bounds folders on a shared disk. Counting files is slow, so it happens only when the free space
 * of the disk has dropped by enough to fill them.
 */
export class DiskWatch {
  #options: DiskWatchOptions
  #limit: FolderSize
  #timer: NodeJS.Timeout
  #firstCheck: NodeJS.Timeout
  #measuring: Promise<void> | undefined
  #freeAtLastMeasure: FolderSize
  #remaining: FolderSize
  #isFull = false
  #isOver = false

  constructor(watched: DiskWatchOptions) {
    this.#options = watched
    this.#limit = watched.limit
    this.#remaining = watched.limit
    this.#freeAtLastMeasure = this.#readFree()
    this.#timer = setInterval(() => this.#check(), POLL_MS)
    this.#firstCheck = setTimeout(() => this.#check(true), FIRST_CHECK_MS)
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
    if (isForced || this.#hasShrunk(threshold)) this.#measuring = this.#measure()
  }

  async #measure(): Promise<void> {
    this.#freeAtLastMeasure = this.#readFree()
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#options.folders) {
      const { bytes, entries } = await measureFolder(folder, this.#limit)
      sum.bytes += bytes
      sum.entries += entries
    }
    this.#remaining = {
      bytes: this.#limit.bytes - sum.bytes,
      entries: this.#limit.entries - sum.entries,
    }
    if ((this.#remaining.bytes < 0 || this.#remaining.entries < 0) && !this.#isFull) {
      this.#isFull = true
      this.#options.onFull()
    }
    this.#measuring = undefined
  }

  #hasShrunk(change: FolderSize): boolean {
    const { bytes, entries } = this.#readFree()
    return (
      this.#freeAtLastMeasure.bytes - bytes >= change.bytes ||
      this.#freeAtLastMeasure.entries - entries >= change.entries
    )
  }

  /** Free space and inodes, summed over the disks of all folders. */
  #readFree(): FolderSize {
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#options.folders) {
      try {
        const { bfree, bsize, ffree } = statfsSync(folder)
        sum.bytes += bfree * bsize
        sum.entries += ffree
      } catch {
        // The folder was removed with its content.
      }
    }
    return sum
  }
}
