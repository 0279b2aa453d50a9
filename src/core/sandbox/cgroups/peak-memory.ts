import { statSync } from 'node:fs'
import { join } from 'node:path'
import { orUndefined } from './cgroup-files.ts'
import { GroupFile } from './group-file.ts'

/**
 * Highest memory of a group of version 2, which kernels count since Linux 5.19. Since 6.12, a write
 * resets it for the descriptor; before that, it is unknown for later runs of the group.
 */
export class PeakMemory {
  #file: GroupFile
  #canReset: boolean
  #isKnown = true

  constructor(folder: string) {
    const path = join(folder, 'memory.peak')
    const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    this.#canReset = (mode & 0o200) !== 0
    this.#file = new GroupFile(path, this.#canReset ? 'r+' : 'r')
  }

  read(): number | undefined {
    return this.#isKnown ? orUndefined(this.#file.readNumber()) : undefined
  }

  /** The group gets another run. */
  markReuse(): void {
    this.#isKnown = this.#canReset && this.#tryReset()
  }

  close(): void {
    this.#file.close()
  }

  #tryReset(): boolean {
    try {
      this.#file.write(0)
      return true
    } catch {
      return false
    }
  }
}
