import type { AuditedApproval } from '../../audit/audit-record.ts'

/** JSON document for an approver, with everything that a decision needs. */
export interface ApprovalQuestion {
  schema: 'skills.approval-request/v1'
  run_id: string
  /** Time of the question, and the time after which an answer is ignored. */
  asked_at: string
  expires_at: string
  /** Names of the rules that require approval. */
  rules: readonly string[]
  kind: string
  who: object
  request: object
  digests: Readonly<Record<string, string>>
  /** Content that would run, as text, truncated. */
  given: Readonly<Record<string, string>>
}

/** Outcome of a question. */
export type ApprovalAnswer = Pick<AuditedApproval, 'answer' | 'by' | 'reason'>

/** Limit on a hook's answer in bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024
const MAX_TEXT_LENGTH = 1000

/** Parses `{"approved": true, "by": …, "reason": …}`; undefined for anything else. */
export function parseAnswer(text: string): ApprovalAnswer | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const { approved, by, reason } = parsed as Record<string, unknown>
  if (typeof approved !== 'boolean') return undefined
  return {
    answer: approved ? 'approved' : 'refused',
    ...(typeof by === 'string' && { by: by.slice(0, MAX_TEXT_LENGTH) }),
    ...(typeof reason === 'string' && { reason: reason.slice(0, MAX_TEXT_LENGTH) }),
  }
}

/** Answer for an approval that failed. */
export function createFailedAnswer(reason: string): ApprovalAnswer {
  return { answer: 'failed', reason: reason.slice(0, MAX_TEXT_LENGTH) }
}
