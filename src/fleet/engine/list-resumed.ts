import { SkillsError } from '../../errors.ts'
import type { StoredMessage } from './engine.ts'
import { takeInTime } from './take-in-time.ts'

/** Silence after which a list begins again. */
const SILENCE_MS = 2000
/** Lists that may fail in a row, while the engine answers other requests. */
const MAX_FAILURES = 5

interface ResumedList {
  open: (afterSeq: number) => AsyncGenerator<StoredMessage>
  /** Resolves when the engine answers. Throws `fleet/unavailable` if it stays away. */
  waitForEngine: () => Promise<unknown>
}

/**
 * Yields the messages of a list, and begins it again after the last one if it fails or becomes silent: that
 * happens if the engine is away, and if the last messages are removed meanwhile.
 */
export async function* listResumed(
  { open, waitForEngine }: ResumedList,
  afterSeq = 0,
): AsyncGenerator<StoredMessage> {
  let seq = afterSeq
  for (let failures = 0; ; failures++) {
    const list = open(seq)
    try {
      for (;;) {
        const next = await takeNext(list, failures < MAX_FAILURES)
        if (!next) break
        if (next.done) return
        ;({ seq } = next.value)
        failures = 0
        yield next.value
      }
    } finally {
      // Not awaited: a silent list ends when the engine answers.
      list.return(undefined).catch(() => {})
    }
    await waitForEngine()
  }
}

/** The next message; undefined if the list failed or is silent, and may begin again. */
async function takeNext(
  list: AsyncGenerator<StoredMessage>,
  isPatient: boolean,
): Promise<IteratorResult<StoredMessage> | undefined> {
  try {
    const taken = await takeInTime(list.next(), SILENCE_MS)
    if (!taken && !isPatient) throw new Error('The engine does not send the messages of a list')
    return taken
  } catch (error) {
    if (error instanceof SkillsError || !isPatient) throw error
    return undefined
  }
}
