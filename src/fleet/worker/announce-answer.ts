import type { AckAddress, Engine } from '../engine/engine.ts'
import type { CallAnswer, CallReply } from '../messages/call-messages.ts'
import { encodeMessage } from '../messages/encoding.ts'
import { nameEndAck } from '../messages/end-ack.ts'
import type { ReplyAddress } from '../messages/parse-start.ts'

/** Larger answers are sent once only, when they are stored. */
const MAX_ANNOUNCED_CHARS = 64 * 1024

/**
 * Sends the front an answer whose end is not stored yet. Returns the address at which the front hears that it is, which
 * takes it one message less than the end of this worker.
 */
export function announceAnswer(
  { engine, worker }: { engine: Engine; worker: string },
  { front, token }: ReplyAddress,
  answer: CallAnswer,
): AckAddress | undefined {
  const reply = encodeMessage({ t: 'ending', answer } satisfies CallReply)
  if (reply.length > MAX_ANNOUNCED_CHARS) return undefined
  engine.publish(`a.${front}.${token}`, reply)
  return nameEndAck({ front, token }, worker)
}
