import { SkillsError } from '../../errors.ts'
import type { CallEnds, DetachedFacts } from '../messages/call-ends.ts'
import type { CallAnswer } from '../messages/call-messages.ts'

interface EndedAnswer {
  answer: CallAnswer
  /** Undefined if a front waits for the call. */
  detached?: DetachedFacts | undefined
}

/**
 * Stores the end of a call, however long the engine is away. A call that a front has given up meanwhile has
 * one, which its callers got. Undefined if the engine refuses to store any end.
 */
export async function storeEnd(
  ends: CallEnds,
  call: string,
  end: EndedAnswer,
): Promise<CallAnswer | undefined> {
  try {
    return await storeOrRead(ends, call, end)
  } catch (error) {
    const unstored: CallAnswer = { error: describeUnstored(error) }
    return await storeOrRead(ends, call, { ...end, answer: unstored }).catch(() => undefined)
  }
}

async function storeOrRead(
  ends: CallEnds,
  call: string,
  { answer, detached }: EndedAnswer,
): Promise<CallAnswer | undefined> {
  for (;;) {
    try {
      if (await ends.write(call, answer, detached)) return answer
      return await ends.read(call)
    } catch (error) {
      if (!(error instanceof SkillsError) || error.code !== 'fleet/unavailable') throw error
    }
  }
}

function describeUnstored(error: unknown) {
  const { message } = error as Error
  return {
    code: 'store/unavailable' as const,
    message: `The end of the run could not be stored: ${message}`,
  }
}
