import type { DetachedEnd } from '../../core/runs/detached/detached-run.ts'
import type { AckAddress } from '../engine/engine.ts'
import type { CallAnswer } from './call-messages.ts'

/** Facts about a detached run that its end keeps, because no front may hear them. */
export type DetachedFacts = Required<Pick<DetachedEnd, 'usage' | 'recorded_run_id'>>

export interface EndDetails {
  /** Undefined if a front waits for the call. */
  detached?: DetachedFacts | undefined
  /** The front hears there that the end is stored, as early as this node. */
  ackAt?: AckAddress | undefined
}

/** How calls ended. The first end of a call that is written is its only one, and outranks any message. */
export interface CallEnds {
  /** Stores the answer, with the record of the call's run. False if the call has an end already. */
  write(call: string, answer: CallAnswer, details?: EndDetails): Promise<boolean>
  read(call: string): Promise<CallAnswer | undefined>
  /** Ends a call whose worker is gone. Returns the answer that decides: this one, or an earlier one. */
  declareInterrupted(call: string, reason: string): Promise<CallAnswer>
}
