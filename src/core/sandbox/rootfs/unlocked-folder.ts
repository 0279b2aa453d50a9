import { chmodSync, closeSync, fstatSync } from 'node:fs'

/** Its owner may read it and reach what is in it. */
const OPEN = 0o700
/** So often somebody may lock it while it is being looked at. */
const ATTEMPTS = 16

/** A folder whose content can be seen although its owner has locked it; it is left as it was. */
export class UnlockedFolder {
  readonly #fd: number
  readonly #itself: string
  readonly #path: Buffer
  #locked: number | undefined

  /** Takes a descriptor of it, which needs to name it only, and closes that in the end. */
  constructor(fd: number) {
    this.#fd = fd
    this.#itself = `/proc/self/fd/${fd}`
    this.#path = Buffer.from(`${this.#itself}/`)
  }

  /** Does something with what has a name in it, or with itself where that is empty. */
  within<T>(name: Buffer, action: (path: Buffer) => T): T {
    const path = Buffer.concat([this.#path, name])
    for (let attempt = 1; ; attempt += 1) {
      try {
        return action(path)
      } catch (error) {
        const isLocked = (error as NodeJS.ErrnoException).code === 'EACCES'
        if (!isLocked || attempt === ATTEMPTS) throw error
        this.#unlock()
      }
    }
  }

  close(): void {
    try {
      // Whoever changed it meanwhile has the last word.
      if (this.#locked !== undefined && this.#mode() === (this.#locked | OPEN)) {
        chmodSync(this.#itself, this.#locked)
      }
    } finally {
      closeSync(this.#fd)
    }
  }

  #unlock(): void {
    const mode = this.#mode()
    chmodSync(this.#itself, mode | OPEN)
    if ((mode & OPEN) !== OPEN) this.#locked = mode
  }

  #mode(): number {
    return fstatSync(this.#fd).mode & 0o7777
  }
}
