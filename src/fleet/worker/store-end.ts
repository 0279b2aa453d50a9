import { SkillsError } from '../../errors.ts'
import type { CallEnds } from '../messages/call-ends.ts'
import type { CallAnswer } from '../messages/call-messages.ts'

/**
 * Stores the end of a call, however long the engine is away. A call that a front has given up meanwhile has
 * one, which its callers got. Undefined if the engine refuses to store any end.
 */
export async function storeEnd(
  ends: CallEnds,
  call: string,
  answer: CallAnswer,
): Promise<CallAnswer | undefined> {
  try {
    return await storeOrRead(ends, call, answer)
  } catch (error) {
    const unstored: CallAnswer = { error: describeUnstored(error) }
    return await storeOrRead(ends, call, unstored).catch(() => undefined)
  }
}

async function storeOrRead(
  ends: CallEnds,
  call: string,
  answer: CallAnswer,
): Promise<CallAnswer | undefined> {
  for (;;) {
    try {
      if (await ends.write(call, answer)) return answer
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
