import { createHash, hash, type Hash } from 'node:crypto'

/** Of nothing. */
const EMPTY_HASH = hash('sha256', '')

/** SHA-256 over pieces as they come. Most runs say nothing: for them none is begun. */
export class RunningHash {
  #hash: Hash | undefined

  update(bytes: Uint8Array): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(bytes)
  }

  /** To be called once, in the end. */
  hex(): string {
    return this.#hash?.digest('hex') ?? EMPTY_HASH
  }
}
