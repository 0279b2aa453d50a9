import type { Engine, StoredMessage } from '../engine/engine.ts'

/** Positions of the stream that are read at once: fewer where messages are dense. */
const WINDOW = 256
const MAX_WINDOW = 16 * 1024

/**
 * Yields the messages of the stream `runs` that match, newest first, from before a position. Messages
 * that are stored meanwhile are not among them.
 */
export async function* listBackwards(
  engine: Engine,
  pattern: string,
  beforeSeq = Infinity,
): AsyncGenerator<StoredMessage> {
  const { firstSeq, lastSeq } = await engine.measure('runs')
  let before = Math.min(beforeSeq, lastSeq + 1)
  let size = WINDOW
  while (before > Math.max(firstSeq, 1)) {
    const afterSeq = Math.max(before - size, firstSeq, 1) - 1
    const found: StoredMessage[] = []
    const options = { afterSeq, beforeSeq: before }
    for await (const message of engine.list('runs', pattern, options)) found.push(message)
    yield* found.toReversed()
    before = afterSeq + 1
    size = found.length < WINDOW / 4 ? Math.min(size * 2, MAX_WINDOW) : WINDOW
  }
}
