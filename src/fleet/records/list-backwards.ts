import type { Engine, StoredMessage } from '../engine/engine.ts'

/** Positions of the stream that are read at once: fewer where messages are dense. */
const WINDOW = 256
const MAX_WINDOW = 16 * 1024

export interface BackwardsOptions<T> {
  pattern: string
  beforeSeq?: number | undefined
  /** Returns what is needed of a message, which may be much smaller; undefined to leave it out. */
  parse: (message: StoredMessage) => T | undefined
}

/**
 * Yields what was parsed from the messages of the stream `runs` that match, newest first, from before
 * a position. Messages that are stored meanwhile are not among them.
 */
export async function* listBackwards<T>(
  engine: Engine,
  { pattern, beforeSeq = Infinity, parse }: BackwardsOptions<T>,
): AsyncGenerator<T> {
  const { firstSeq, lastSeq } = await engine.measure('runs')
  const first = Math.max(firstSeq, 1)
  let before = Math.min(beforeSeq, lastSeq + 1)
  let size = WINDOW
  while (before > first) {
    const start = Math.max(before - size, first)
    const window: T[] = []
    let found = 0
    const range = { afterSeq: start - 1, beforeSeq: before }
    for await (const message of engine.list('runs', pattern, range)) {
      found += 1
      const parsed = parse(message)
      if (parsed !== undefined) window.push(parsed)
    }
    yield* window.toReversed()
    before = start
    size = found < WINDOW / 4 ? Math.min(size * 2, MAX_WINDOW) : WINDOW
  }
}
