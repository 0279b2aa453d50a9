import { statfsSync } from 'node:fs'
import { measureFolder, type FolderSize } from '../rootfs/measure-folder.ts'

const POLL_MS = 50
/** Short runs are over before; what they wrote shows in the end. */
const FIRST_CHECK_MS = 250
/** Less than this is not looked for: others write to the same disk. */
const MIN_BYTES = 1024 ** 2
const MIN_FILES = 1000

interface DiskWatchOptions {
  folders: readonly string[]
  most: FolderSize
  /** Called once, when they hold more. */
  onFull: () => void
}

/**
 * Bounds folders of a disk. Counting their files takes time, so it is done when the disk as a whole
 * has lost so much room that they could be full.
 */
export class DiskWatch {
  #options: DiskWatchOptions
  #most: FolderSize
  #timer: NodeJS.Timeout
  #firstCheck: NodeJS.Timeout
  #measuring: Promise<void> | undefined
  #freeAtLastMeasure: FolderSize
  #remaining: FolderSize
  #isFull = false
  #isOver = false

  constructor(watched: DiskWatchOptions) {
    this.#options = watched
    this.#most = watched.most
    this.#remaining = watched.most
    this.#freeAtLastMeasure = this.#readFree()
    this.#timer = setInterval(() => this.#check(), POLL_MS)
    this.#firstCheck = setTimeout(() => this.#check(true), FIRST_CHECK_MS)
  }

  /** It was told to end: whether it also wrote too much changes nothing any more. */
  pause(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    clearTimeout(this.#firstCheck)
  }

  /** The last look, when nothing can be written any more; tells whether they hold too much. */
  async finish(): Promise<boolean> {
    const isToldToEnd = this.#isOver
    this.pause()
    await this.#measuring
    if (
      !this.#isFull &&
      !isToldToEnd &&
      this.#hasShrunk({ bytes: MIN_BYTES, entries: MIN_FILES })
    ) {
      await this.#measure()
    }
    return this.#isFull
  }

  #check(always = false): void {
    if (this.#measuring !== undefined || this.#isFull) return
    const { bytes, entries } = this.#remaining
    const enough = {
      bytes: Math.max(MIN_BYTES, bytes / 2),
      entries: Math.max(MIN_FILES, entries / 2),
    }
    if (always || this.#hasShrunk(enough)) this.#measuring = this.#measure()
  }

  async #measure(): Promise<void> {
    this.#freeAtLastMeasure = this.#readFree()
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#options.folders) {
      const { bytes, entries } = await measureFolder(folder, this.#most)
      sum.bytes += bytes
      sum.entries += entries
    }
    this.#remaining = {
      bytes: this.#most.bytes - sum.bytes,
      entries: this.#most.entries - sum.entries,
    }
    if ((this.#remaining.bytes < 0 || this.#remaining.entries < 0) && !this.#isFull) {
      this.#isFull = true
      this.#options.onFull()
    }
    this.#measuring = undefined
  }

  #hasShrunk(by: FolderSize): boolean {
    const { bytes, entries } = this.#readFree()
    return (
      this.#freeAtLastMeasure.bytes - bytes >= by.bytes ||
      this.#freeAtLastMeasure.entries - entries >= by.entries
    )
  }

  /** Of all disks that they lie on together. */
  #readFree(): FolderSize {
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#options.folders) {
      try {
        const { bfree, bsize, ffree } = statfsSync(folder)
        sum.bytes += bfree * bsize
        sum.entries += ffree
      } catch {
        // It was removed, and what is in it too.
      }
    }
    return sum
  }
}
