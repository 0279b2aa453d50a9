import { createHash, hash, type Hash } from 'node:crypto'

/** Hash of empty input. */
const EMPTY_HASH = hash('sha256', '')

/** Incremental SHA-256. Most runs print nothing, so the hash is created on first use. */
export class RunningHash {
  #hash: Hash | undefined

  update(bytes: Uint8Array): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(bytes)
  }

  /** Returns the hash of everything so far. */
  hex(): string {
    return this.#hash?.copy().digest('hex') ?? EMPTY_HASH
  }
}
