import { readSessionOutcome } from '../../core/methods/outcomes.ts'
import type { CallAnswer } from '../messages/call-messages.ts'

interface EndedResult {
  status?: string
  exit_code?: number
}

/** Derives the status of a run from the answer to its call, as its front does for followers. */
export function readEndStatus(answer: CallAnswer): string {
  if ('error' in answer) return answer.error.code === 'run/cancelled' ? 'cancelled' : 'failed'
  const { status, exit_code } = ('result' in answer ? answer.result : {}) as EndedResult
  if (exit_code === undefined && status !== undefined) return status
  return readSessionOutcome({ status: 'exited', exit_code })
}
