import type { AuditedApproval } from '../../audit/audit-record.ts'

/** What somebody is asked: everything that a decision needs, in one JSON object. */
export interface ApprovalQuestion {
  schema: 'skills.approval-request/v1'
  run_id: string
  /** When it was asked, and when an answer comes too late. */
  asked_at: string
  expires_at: string
  /** Names of the rules that want it. */
  rules: readonly string[]
  kind: string
  who: object
  request: object
  digests: Readonly<Record<string, string>>
  /** What would be run, as text, cut where it is long. */
  given: Readonly<Record<string, string>>
}

/** What came of asking. */
export type ApprovalAnswer = Pick<AuditedApproval, 'answer' | 'by' | 'reason'>

/** What a hook has to say, at most. */
export const MAX_ANSWER_BYTES = 64 * 1024
const MAX_TEXT_LENGTH = 1000

/** Reads `{"approved": true, "by": …, "reason": …}`; undefined where it is anything else. */
export function parseAnswer(text: string): ApprovalAnswer | undefined {
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return undefined
  const { approved, by, reason } = said as Record<string, unknown>
  if (typeof approved !== 'boolean') return undefined
  return {
    answer: approved ? 'approved' : 'refused',
    ...(typeof by === 'string' && { by: by.slice(0, MAX_TEXT_LENGTH) }),
    ...(typeof reason === 'string' && { reason: reason.slice(0, MAX_TEXT_LENGTH) }),
  }
}

/** An approval that could not be had. */
export function createFailedAnswer(reason: string): ApprovalAnswer {
  return { answer: 'failed', reason: reason.slice(0, MAX_TEXT_LENGTH) }
}
