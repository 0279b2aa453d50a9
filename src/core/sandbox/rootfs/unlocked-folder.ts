import { chmodSync, closeSync, fstatSync } from 'node:fs'

/** Its owner may read it and reach what is in it. */
const OWNER_ACCESS = 0o700
/** So often somebody may lock it while it is being looked at. */
const MAX_UNLOCK_ATTEMPTS = 16

/** A folder whose content can be seen although its owner has locked it; it is left as it was. */
export class UnlockedFolder {
  readonly #fd: number
  readonly #fdPath: string
  readonly #entryPrefix: Buffer
  #originalMode: number | undefined

  /** Takes a descriptor of it, which needs to name it only, and closes that in the end. */
  constructor(fd: number) {
    this.#fd = fd
    this.#fdPath = `/proc/self/fd/${fd}`
    this.#entryPrefix = Buffer.from(`${this.#fdPath}/`)
  }

  /** Does something with what has a name in it, or with itself where that is empty. */
  accessEntry<T>(name: Buffer, action: (path: Buffer) => T): T {
    const path = Buffer.concat([this.#entryPrefix, name])
    for (let attempt = 1; ; attempt += 1) {
      try {
        return action(path)
      } catch (error) {
        const isLocked = (error as NodeJS.ErrnoException).code === 'EACCES'
        if (!isLocked || attempt === MAX_UNLOCK_ATTEMPTS) throw error
        this.#unlock()
      }
    }
  }

  close(): void {
    try {
      // Whoever changed it meanwhile has the last word.
      if (
        this.#originalMode !== undefined &&
        this.#readMode() === (this.#originalMode | OWNER_ACCESS)
      ) {
        chmodSync(this.#fdPath, this.#originalMode)
      }
    } finally {
      closeSync(this.#fd)
    }
  }

  #unlock(): void {
    const mode = this.#readMode()
    chmodSync(this.#fdPath, mode | OWNER_ACCESS)
    if ((mode & OWNER_ACCESS) !== OWNER_ACCESS) this.#originalMode = mode
  }

  #readMode(): number {
    return fstatSync(this.#fd).mode & 0o7777
  }
}
