import { SkillsError } from '../../errors.ts'
import { readIndex, type ReadIndex } from './read-index.ts'

/** An answer of one index. */
export type IndexAnswer =
  | { index: string; content: ReadIndex }
  | { index: string; problem: SkillsError }

export interface AskOptions {
  signal: AbortSignal
  /** Milliseconds for one index. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const MAX_INDEXES = 32

/** Asks all indexes at the same time; one that fails does not stop the others. */
export async function askIndexes(
  indexes: readonly string[],
  { signal, timeoutMs = TIMEOUT_MS }: AskOptions,
): Promise<IndexAnswer[]> {
  if (indexes.length > MAX_INDEXES) {
    throw new SkillsError(
      'config/invalid',
      `The configuration has ${indexes.length} indexes, expected at most ${MAX_INDEXES}`,
      { hint: 'Remove some from "indexes" of the configuration' },
    )
  }
  const answers = await Promise.allSettled(
    indexes.map(async (index) => await readIndex(index, { signal, timeoutMs })),
  )
  signal.throwIfAborted()
  return answers.map((answer, at) => {
    const index = indexes[at] ?? ''
    if (answer.status === 'fulfilled') return { index, content: answer.value }
    const reason: unknown = answer.reason
    if (!(reason instanceof SkillsError)) throw reason
    return { index, problem: reason }
  })
}
