import type { CallAnswer } from './call-messages.ts'

/** How calls ended. The first end of a call that is written is its only one, and outranks any message. */
export interface CallEnds {
  /** Stores the answer, with the record of the call's run. False if the call has an end already. */
  write(call: string, answer: CallAnswer): Promise<boolean>
  read(call: string): Promise<CallAnswer | undefined>
  /** Ends a call whose worker is gone. Returns the answer that decides: this one, or an earlier one. */
  declareInterrupted(call: string, reason: string): Promise<CallAnswer>
}
