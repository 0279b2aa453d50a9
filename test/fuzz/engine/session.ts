import { setImmediate as nextTurn } from 'node:timers/promises'
import { BlockCoverage } from './coverage.ts'
import type { CurrentInput } from './current-input.ts'
import { minimise } from './minimise.ts'
import { createMutator } from './mutate.ts'
import { Random } from './random.ts'
import type { FuzzCheck, FuzzTarget } from './target.ts'

/** Inputs per look at the coverage, which takes a few milliseconds; more while nothing is new. */
const BATCH_SIZES = { least: 64, most: 1024 }
/** Of processor time, which other work on the machine does not change. Usual inputs take under 1 ms. */
const SLOW_MS = 2000
const MAX_BUFFER_BYTES = 1024 ** 3

export interface FuzzFinding {
  input: Buffer
  message: string
}

export interface FuzzReport {
  executions: number
  /** Inputs that reached new blocks, in addition to the given ones. */
  kept: Buffer[]
  /** Executed characters of the project's code. */
  covered: number
  finding: FuzzFinding | undefined
}

export interface SessionOptions {
  target: FuzzTarget
  isPlanted: boolean
  /** Inputs to begin with. */
  corpus: readonly Buffer[]
  seed: number
  seconds: number
  current: CurrentInput
}

/** One session of one target: mutates inputs, and keeps those that reach new blocks. */
export class FuzzSession {
  #options: SessionOptions
  #check: FuzzCheck
  #coverage = new BlockCoverage((url) => url.includes('/src/'))
  #corpus: Buffer[]
  #kept: Buffer[] = []
  #executions = 0

  private constructor(options: SessionOptions, check: FuzzCheck) {
    this.#options = options
    this.#check = check
    this.#corpus = [...options.corpus]
  }

  static async run(options: SessionOptions): Promise<FuzzReport> {
    const session = new FuzzSession(options, await options.target.open(options.isPlanted))
    const finding = await session.#search()
    const covered = session.#coverage.size
    session.#coverage.close()
    return { executions: session.#executions, kept: session.#kept, covered, finding }
  }

  async #search(): Promise<FuzzFinding | undefined> {
    const { target, seed, seconds } = this.#options
    const mutate = createMutator(target, new Random(seed))
    const deadline = performance.now() + seconds * 1000
    for (const input of this.#corpus) {
      const finding = await this.#try(input)
      if (finding) return finding
    }
    this.#coverage.add(this.#coverage.take())
    let size = BATCH_SIZES.least
    while (performance.now() < deadline) {
      const batch = Array.from({ length: size }, () => mutate(this.#corpus))
      for (const input of batch) {
        const finding = await this.#try(input)
        if (finding) return await this.#minimise(finding)
        if (performance.now() > deadline) break
      }
      const executed = this.#coverage.take()
      size = Math.min(BATCH_SIZES.most, Math.ceil(size * 1.2))
      if (this.#coverage.hasNew(executed)) {
        size = BATCH_SIZES.least
        await this.#keepNew(batch)
        // Blocks that only the first execution reaches, such as those of caches.
        this.#coverage.add(executed)
      }
      const problem = findExcess()
      if (problem !== undefined) return { input: Buffer.concat(batch), message: problem }
      await nextTurn()
    }
    return undefined
  }

  /** Finds the inputs of a batch that reach new blocks, by halves. */
  async #keepNew(batch: readonly Buffer[]): Promise<void> {
    for (const input of batch) await this.#try(input)
    const executed = this.#coverage.take()
    if (!this.#coverage.hasNew(executed)) return
    const [first] = batch
    if (first === undefined) return
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2)
      await this.#keepNew(batch.slice(0, half))
      await this.#keepNew(batch.slice(half))
      return
    }
    this.#coverage.add(executed)
    this.#corpus.push(first)
    this.#kept.push(first)
  }

  async #try(input: Buffer): Promise<FuzzFinding | undefined> {
    this.#options.current.set(input)
    this.#executions += 1
    const startedAt = measureCpuMs()
    try {
      const work = this.#check(input)
      if (work) await work
    } catch (error) {
      return { input, message: describeError(error) }
    }
    const ms = measureCpuMs() - startedAt
    return ms > SLOW_MS ? await this.#confirmSlow(input) : undefined
  }

  /** A second and a third attempt, without the work of compilers and collectors. */
  async #confirmSlow(input: Buffer): Promise<FuzzFinding | undefined> {
    let least = Number.POSITIVE_INFINITY
    for (let left = 2; left > 0; left--) {
      const startedAt = measureCpuMs()
      await this.#check(input)
      least = Math.min(least, measureCpuMs() - startedAt)
    }
    return least > SLOW_MS ? { input, message: `it takes ${Math.round(least)} ms` } : undefined
  }

  async #minimise(finding: FuzzFinding): Promise<FuzzFinding> {
    if (finding.message.startsWith('it takes')) return finding
    const kind = summarise(finding.message)
    const input = await minimise(finding.input, async (shorter) => {
      const found = await this.#try(shorter)
      return found !== undefined && summarise(found.message) === kind
    })
    return (await this.#try(input)) ?? finding
  }
}

function measureCpuMs(): number {
  return process.cpuUsage().user / 1000
}

function findExcess(): string | undefined {
  const { arrayBuffers } = process.memoryUsage()
  if (arrayBuffers < MAX_BUFFER_BYTES) return undefined
  return `inputs of one batch hold ${Math.round(arrayBuffers / 1024 ** 2)} MiB of buffers`
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : `threw ${String(error)}`
}

/** The place that threw; the message may repeat the input. */
function summarise(message: string): string {
  return /\n\s+at (.*)/.exec(message)?.[1] ?? message
}
