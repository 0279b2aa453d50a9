import type { ListOptions, StoredMessage } from './engine.ts'

/** Maximum of requests at once. */
const MAX_WINDOW = 32

/** The first message that matches, at or after a position; undefined if there is none. */
export type NextReader = (seq: number) => Promise<StoredMessage | undefined>

/**
 * Yields the messages after a position and before another one, oldest first. Asks for several positions at
 * once, as many as are useful: those between two messages that match have the same answer.
 */
export async function* listByRequest(
  readNext: NextReader,
  { afterSeq = 0, beforeSeq = Infinity }: ListOptions,
): AsyncGenerator<StoredMessage> {
  let from = afterSeq + 1
  for (let size = 1; from < beforeSeq;) {
    const requests = Array.from({ length: size }, async (_, at) => await readNext(from + at))
    const answers = await Promise.all(requests)
    const found = sortDistinct(answers.filter((each) => each !== undefined))
    for (const message of found) {
      if (message.seq >= beforeSeq) return
      yield message
    }
    if (answers.includes(undefined)) return
    from = (found.at(-1)?.seq ?? from) + 1
    size = Math.min(MAX_WINDOW, found.length * 2)
  }
}

function sortDistinct(messages: readonly StoredMessage[]): StoredMessage[] {
  const bySeq = new Map(messages.map((message) => [message.seq, message]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
