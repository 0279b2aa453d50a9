import { statfsSync } from 'node:fs'
import { measureFolder, type Measure } from '../rootfs/measure-folder.ts'

const POLL_MS = 50
/** Short runs are over before; what they wrote shows in the end. */
const FIRST_MS = 250
/** Less than this is not looked for: others write to the same disk. */
const LEAST_BYTES = 1024 ** 2
const LEAST_FILES = 1000

interface DiskWatched {
  folders: readonly string[]
  most: Measure
  /** Called once, when they hold more. */
  onFull: () => void
}

/**
 * Bounds folders of a disk. Counting their files takes time, so it is done when the disk as a whole
 * has lost so much room that they could be full.
 */
export class DiskWatch {
  #watched: DiskWatched
  #most: Measure
  #timer: NodeJS.Timeout
  #first: NodeJS.Timeout
  #counting: Promise<void> | undefined
  #freeThen: Measure
  #left: Measure
  #isFull = false
  #isOver = false

  constructor(watched: DiskWatched) {
    this.#watched = watched
    this.#most = watched.most
    this.#left = watched.most
    this.#freeThen = this.#free()
    this.#timer = setInterval(() => this.#look(), POLL_MS)
    this.#first = setTimeout(() => this.#look(true), FIRST_MS)
  }

  /** It was told to end: whether it also wrote too much changes nothing any more. */
  rest(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    clearTimeout(this.#first)
  }

  /** The last look, when nothing can be written any more; tells whether they hold too much. */
  async end(): Promise<boolean> {
    const isToldToEnd = this.#isOver
    this.rest()
    await this.#counting
    if (
      !this.#isFull &&
      !isToldToEnd &&
      this.#hasShrunk({ bytes: LEAST_BYTES, entries: LEAST_FILES })
    ) {
      await this.#count()
    }
    return this.#isFull
  }

  #look(always = false): void {
    if (this.#counting !== undefined || this.#isFull) return
    const { bytes, entries } = this.#left
    const enough = {
      bytes: Math.max(LEAST_BYTES, bytes / 2),
      entries: Math.max(LEAST_FILES, entries / 2),
    }
    if (always || this.#hasShrunk(enough)) this.#counting = this.#count()
  }

  async #count(): Promise<void> {
    this.#freeThen = this.#free()
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#watched.folders) {
      const { bytes, entries } = await measureFolder(folder, this.#most)
      sum.bytes += bytes
      sum.entries += entries
    }
    this.#left = { bytes: this.#most.bytes - sum.bytes, entries: this.#most.entries - sum.entries }
    if ((this.#left.bytes < 0 || this.#left.entries < 0) && !this.#isFull) {
      this.#isFull = true
      this.#watched.onFull()
    }
    this.#counting = undefined
  }

  #hasShrunk(by: Measure): boolean {
    const { bytes, entries } = this.#free()
    return (
      this.#freeThen.bytes - bytes >= by.bytes || this.#freeThen.entries - entries >= by.entries
    )
  }

  /** Of all disks that they lie on together. */
  #free(): Measure {
    const sum = { bytes: 0, entries: 0 }
    for (const folder of this.#watched.folders) {
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
