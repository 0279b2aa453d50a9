import { chmodSync, closeSync, fstatSync } from 'node:fs'

/** Read, write and search permission for the owner. */
const OWNER_ACCESS = 0o700
/** The owner may lock the folder again during the access; this bounds the retries. */
const MAX_UNLOCK_ATTEMPTS = 16

/** Accesses a folder although its owner has locked it, and restores its mode afterwards. */
export class UnlockedFolder {
  readonly #fd: number
  readonly #fdPath: string
  readonly #entryPrefix: Buffer
  #originalMode: number | undefined

  /** Takes ownership of the descriptor, for which O_PATH is sufficient. */
  constructor(fd: number) {
    this.#fd = fd
    this.#fdPath = `/proc/self/fd/${fd}`
    this.#entryPrefix = Buffer.from(`${this.#fdPath}/`)
  }

  /** Calls the action with the path of an entry, or of the folder itself if the name is empty. */
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
      // Restores the mode only if the owner did not change it meanwhile.
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
