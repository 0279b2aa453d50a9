import type { BusyReason, CallAnswer } from '../messages/call-messages.ts'

/** A fact about the calls of a front, for its metrics. */
export type FrontEvent =
  /** A call was sent to the better of two workers, to the home of a session, or to any worker. */
  | { t: 'placed'; how: 'chance' | 'home' | 'any' }
  /** A worker refused a call; `unheard`: no process listened. */
  | { t: 'busy'; why: BusyReason | 'unheard' }
  /** An attempt was given up before it began. */
  | { t: 'revoked' }
  /** A run was given up. `forgotten`: its worker does not know it any more. */
  | { t: 'interrupted'; cause: InterruptionCause }
  /** A call waits for a run that another front sent, or sent before. */
  | { t: 'attached' }
  /** The message with an end was lost, and its record was read. */
  | { t: 'read' }

export type InterruptionCause = 'gone' | 'forgotten'

/** True for the answer of a run that was given up. */
export function isInterrupted(answer: CallAnswer): boolean {
  return 'error' in answer && answer.error.code === 'run/interrupted'
}
