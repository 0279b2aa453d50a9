import { SkillsError } from '../../errors.ts'
import type { CallEnds, EndDetails } from '../messages/call-ends.ts'
import type { CallAnswer } from '../messages/call-messages.ts'

interface EndedAnswer extends EndDetails {
  answer: CallAnswer
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
    const answer: CallAnswer = { error: describeUnstored(error) }
    // The front would take its acknowledgement for that of the first answer.
    const unstored = { answer, detached: end.detached }
    return await storeOrRead(ends, call, unstored).catch(() => undefined)
  }
}

async function storeOrRead(
  ends: CallEnds,
  call: string,
  { answer, ...details }: EndedAnswer,
): Promise<CallAnswer | undefined> {
  for (;;) {
    try {
      if (await ends.write(call, answer, details)) return answer
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
