import { Session } from 'node:inspector'
import type { Profiler } from 'node:inspector'

/** By script: one byte per character, 1 if it was executed. */
type ExecutedBlocks = ReadonlyMap<string, Uint8Array>

/**
 * Blocks of the project's code that inputs have reached, as V8 counts them: without a native addon
 * or a compiler that inserts counters, and also in code that a minifier or a loader made.
 */
export class BlockCoverage {
  #session = new Session()
  #reached = new Map<string, Uint8Array>()
  #isOwn: (url: string) => boolean

  constructor(isOwn: (url: string) => boolean) {
    this.#isOwn = isOwn
    this.#session.connect()
    this.#post('Profiler.enable')
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Number of executed characters. */
  get size(): number {
    let size = 0
    for (const bytes of this.#reached.values()) for (const each of bytes) size += each
    return size
  }

  /** Returns the blocks that were executed since the last call. */
  take(): ExecutedBlocks {
    const { result } = this.#post('Profiler.takePreciseCoverage') as {
      result: Profiler.ScriptCoverage[]
    }
    return new Map(
      result
        .filter(({ url }) => this.#isOwn(url))
        .map((script) => [script.scriptId, markExecuted(script)]),
    )
  }

  /** True if one of the blocks was not reached before. */
  hasNew(blocks: ExecutedBlocks): boolean {
    for (const [id, executed] of blocks) {
      const reached = this.#reached.get(id)
      for (let at = 0; at < executed.length; at++)
        if (executed[at] === 1 && reached?.[at] !== 1) return true
    }
    return false
  }

  add(blocks: ExecutedBlocks): void {
    for (const [id, executed] of blocks) {
      const reached = this.#reached.get(id) ?? new Uint8Array(0)
      const both = new Uint8Array(Math.max(executed.length, reached.length))
      both.set(reached)
      for (let at = 0; at < executed.length; at++) if (executed[at] === 1) both[at] = 1
      this.#reached.set(id, both)
    }
  }

  close(): void {
    this.#session.disconnect()
  }

  /** Commands of this thread's own inspector are answered before `post` returns. */
  #post(method: string, params: object = {}): unknown {
    let answer: unknown
    this.#session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method} failed: ${error.message}`)
      answer = result
    })
    return answer
  }
}

/** Functions and their blocks come from the outside in, so inner counts replace outer ones. */
function markExecuted({ functions }: Profiler.ScriptCoverage): Uint8Array {
  const ranges = functions.flatMap((each) => each.ranges)
  const executed = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)))
  for (const { startOffset, endOffset, count } of ranges)
    executed.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return executed
}
