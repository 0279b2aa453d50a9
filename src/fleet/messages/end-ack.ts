import type { AckAddress } from '../engine/engine.ts'
import type { ReplyAddress } from './parse-start.ts'

/** The address at which a worker and a front hear at once that the end of their call is stored. */
export function nameEndAck({ front, token }: ReplyAddress, worker: string): AckAddress {
  return { subject: `st.${front}.${worker}.${token}`, pattern: nameEndAckPattern(worker) }
}

/** Subjects of the acknowledgements for one worker. Only the engine publishes to them. */
export function nameEndAckPattern(worker: string): string {
  return `st.*.${worker}.*`
}

/** Subjects of the acknowledgements for one front. */
export function nameEndAcks(front: string): string {
  return `st.${front}.*.*`
}
