import { SkillsError } from '../../errors.ts'
import type { Engine, StoredMessage, StreamName } from '../engine/engine.ts'

/** Silence after which a list begins again. */
const SILENCE_MS = 2000
/** Lists that may fail in a row, while the engine answers other requests. */
const MAX_FAILURES = 5

/**
 * Lists the messages of a stream, and begins again after the last one if the list fails or becomes
 * silent: that happens if the engine is away, and if the last messages are removed meanwhile. Throws
 * `fleet/unavailable` if the engine stays away. Read it to the end: the engine continues to send to a list
 * that is left before.
 */
export async function* listMessages(
  engine: Engine,
  { stream, pattern, afterSeq = 0 }: { stream: StreamName; pattern: string; afterSeq?: number },
): AsyncGenerator<StoredMessage> {
  let seq = afterSeq
  for (let failures = 0; ; failures++) {
    const list = engine.list(stream, pattern, { afterSeq: seq })[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await takeNext(list, { isPatient: failures < MAX_FAILURES })
        if (!next) break
        if (next.done) return
        seq = next.value.seq
        failures = 0
        yield next.value
      }
    } finally {
      list.return?.().catch(() => {})
    }
    // Waits until the engine is back.
    await engine.measure(stream)
  }
}

/** The next message; undefined if the list failed or is silent, and may begin again. */
async function takeNext(
  list: AsyncIterator<StoredMessage>,
  { isPatient }: { isPatient: boolean },
): Promise<IteratorResult<StoredMessage> | undefined> {
  const next = list.next()
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), SILENCE_MS)
  })
  try {
    const taken = await Promise.race([next, silence])
    if (!taken && !isPatient) throw new Error('The engine does not send the messages of a list')
    return taken
  } catch (error) {
    if (error instanceof SkillsError || !isPatient) throw error
    return undefined
  } finally {
    clearTimeout(timer)
    next.catch(() => {})
  }
}
