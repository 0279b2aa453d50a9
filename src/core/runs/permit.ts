import type { AuditedDecision, AuditedResult } from '../audit/audit-record.ts'
import type { Link } from '../audit/chain.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type { PolicyVerdict } from '../policy/verdict.ts'

/** A call that is to be governed. */
export interface GovernedCall {
  runId: string
  request: PolicyRequest
  /** Code, arguments and input, secrets taken out: their digests are logged, they are asked about. */
  given: Readonly<Record<string, string | Uint8Array>>
}

/** A call that was let through. It holds a place among those that run until it is told how it ended. */
export interface Permit {
  verdict: PolicyVerdict
  /** As it stands in the audit log. */
  decision: AuditedDecision
  /** Where its beginning stands in the audit log. */
  begun: Link
  /** Its processes are gone: another may begin, while what it made is being written down. */
  leave: () => void
  /**
   * Writes down how it ended, and what was made by name as `sha256:<hex>`; durable when it returns.
   * Throws `audit/unavailable`: nobody must be answered then.
   */
  end(result: AuditedResult, digests?: Readonly<Record<string, string>>): Promise<void>
}

const decisions = new WeakMap<object, AuditedDecision>()

/** Keeps the whole decision with the error that tells the caller a part of it. */
export function rememberDecision(error: object, decision: AuditedDecision): void {
  decisions.set(error, decision)
}

/** The decision that refused something; undefined where it was no policy that did. */
export function decisionOf(error: unknown): AuditedDecision | undefined {
  return typeof error === 'object' && error !== null ? decisions.get(error) : undefined
}
