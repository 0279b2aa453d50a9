import type { Checkout } from './checkout.ts'
import type { ImportGraph } from './import-graph.ts'
import type { Mutation } from './list-mutations.ts'
import { findFailedFiles } from './run-tests.ts'

export interface MeasureLimits {
  readonly isFastOnly: boolean
  /** Test files of each kind, fast and slow, nearest first. */
  readonly tests: number
  readonly minutes: number
  readonly workers: number
}

export type Outcome = 'fast' | 'slow' | 'survived' | 'absent'

export interface MutantResult {
  /** The kind of tests that found it; `absent` if the commit has no such line. */
  readonly outcome: Outcome
  readonly foundBy?: string
  /** Test files that ran, and those of all that reach the file. */
  readonly ran: number
  readonly reaching: number
}

const FILES_AT_ONCE = 4
/** Processor time of one process. */
const SECONDS = { fast: 120, slow: 600 }

/** Runs the tests that reach a mutated file, until one fails that passes without the mutation. */
export class MutantMeasurement {
  /** Files that fail without a mutation, too, and therefore prove nothing. */
  readonly unusable = new Set<string>()
  #passing = new Set<string>()
  #checkout: Checkout
  #graph: ImportGraph
  #limits: MeasureLimits

  constructor(checkout: Checkout, graph: ImportGraph, limits: MeasureLimits) {
    this.#checkout = checkout
    this.#graph = graph
    this.#limits = limits
  }

  async measure(mutation: Mutation): Promise<MutantResult> {
    const { isFastOnly, tests, minutes } = this.#limits
    const reaching = this.#graph.listTests(mutation.file)
    const kinds = isFastOnly ? (['fast'] as const) : (['fast', 'slow'] as const)
    const total = kinds.reduce((sum, kind) => sum + reaching[kind].length, 0)
    if (!this.#checkout.apply(mutation))
      return { outcome: 'fast', foundBy: 'npm run build', ran: 0, reaching: total }
    const end = Date.now() + minutes * 60_000
    let ran = 0
    for (const kind of kinds) {
      const chosen = reaching[kind].slice(0, tests)
      for (let at = 0; at < chosen.length && Date.now() < end; at += FILES_AT_ONCE) {
        const files = chosen.slice(at, at + FILES_AT_ONCE)
        const foundBy = await this.#findFinder(mutation, kind, files)
        ran += files.filter((file) => !this.unusable.has(file)).length
        if (foundBy !== undefined) return { outcome: kind, foundBy, ran, reaching: total }
      }
    }
    return { outcome: 'survived', ran, reaching: total }
  }

  /** Returns a file that fails because of the mutation. */
  async #findFinder(
    mutation: Mutation,
    kind: 'fast' | 'slow',
    files: readonly string[],
  ): Promise<string | undefined> {
    for (;;) {
      const usable = files.filter((file) => !this.unusable.has(file))
      if (usable.length === 0) return undefined
      const failed = await this.#run(mutation, kind, usable)
      if (failed.length === 0) return undefined
      await this.#checkUnmutated(kind, failed)
      const finder = failed.find((file) => !this.unusable.has(file))
      if (finder !== undefined) return finder
    }
  }

  /** Finds out which of the files fail without a mutation. */
  async #checkUnmutated(kind: 'fast' | 'slow', files: readonly string[]): Promise<void> {
    for (;;) {
      const pending = files.filter((file) => !this.#passing.has(file) && !this.unusable.has(file))
      if (pending.length === 0) return
      const failed = await this.#run(undefined, kind, pending)
      for (const file of failed) this.unusable.add(file)
      if (failed.length === 0) for (const file of pending) this.#passing.add(file)
    }
  }

  async #run(
    mutation: Mutation | undefined,
    kind: 'fast' | 'slow',
    files: readonly string[],
  ): Promise<string[]> {
    this.#checkout.apply(mutation)
    const isFast = kind === 'fast'
    const { workers } = this.#limits
    return await findFailedFiles(this.#checkout, { files, isFast, workers, seconds: SECONDS[kind] })
  }
}
