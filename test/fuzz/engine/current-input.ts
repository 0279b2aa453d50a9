import { MAX_INPUT_BYTES } from './target.ts'

const HEAD_BYTES = 8

/** The input that a worker tries, in memory that survives a hanging or crashed worker. */
export class CurrentInput {
  readonly memory: SharedArrayBuffer
  #numbers: Int32Array
  #bytes: Buffer

  constructor(memory = new SharedArrayBuffer(HEAD_BYTES + MAX_INPUT_BYTES)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory, 0, 2)
    this.#bytes = Buffer.from(memory, HEAD_BYTES)
  }

  /** Counts all inputs, so that a standstill shows. */
  get count(): number {
    return Atomics.load(this.#numbers, 0)
  }

  set(input: Buffer): void {
    const length = input.copy(this.#bytes)
    Atomics.store(this.#numbers, 1, length)
    Atomics.add(this.#numbers, 0, 1)
  }

  get(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, Atomics.load(this.#numbers, 1)))
  }
}
