import type { Engine, ListOptions, StoredMessage } from '../engine/engine.ts'

/**
 * Yields the messages of the audit that match, oldest first. It ends at the last message that is stored now,
 * by its position: the engine may report that one more is pending after a message that was just stored.
 */
export async function* listMessages(
  engine: Engine,
  pattern: string,
  { afterSeq = 0, beforeSeq = Infinity }: ListOptions = {},
): AsyncGenerator<StoredMessage> {
  const last = await engine.last('audit', pattern)
  const end = Math.min(last?.seq ?? 0, beforeSeq - 1)
  let position = afterSeq
  if (position >= end) return
  for await (const message of engine.list('audit', pattern, { afterSeq, beforeSeq })) {
    position = message.seq
    yield message
    if (position >= end) return
  }
}
