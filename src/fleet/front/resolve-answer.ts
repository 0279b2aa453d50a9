import type { CallAnswer } from '../messages/call-messages.ts'
import type { Objects } from '../objects/objects.ts'

/** Reads an answer that is too large for a message. */
export async function resolveAnswer(objects: Objects, answer: CallAnswer): Promise<CallAnswer> {
  if (!('ref' in answer)) return answer
  const content = await objects.readAll(answer.ref)
  return JSON.parse(content.toString()) as CallAnswer
}
