import { cancelledError } from '../../../errors.ts'
import { spellDuration } from '../../../util/quantity.ts'
import type { AuditedApproval } from '../../audit/audit-record.ts'
import type { ApprovalHook } from '../policy.ts'
import { createFailedAnswer, type ApprovalAnswer, type ApprovalQuestion } from './question.ts'

/** Approval question, with the environment of the caller. */
export interface ApprovalInput {
  hook: ApprovalHook | undefined
  question: Omit<ApprovalQuestion, 'schema' | 'asked_at' | 'expires_at'>
  env: Readonly<Record<string, string | undefined>>
  /** Folders in which a hook's program must not be located. */
  excluded: readonly string[]
  /** Aborted when the caller disconnects. */
  signal: AbortSignal | undefined
}

/**
 * Requests approval from the configured hook. Everything but an explicit approval refuses. Throws
 * `run/cancelled`.
 */
export async function requestApproval(input: ApprovalInput): Promise<AuditedApproval> {
  const { hook, question, signal } = input
  const { rules } = question
  const since = performance.now()
  if (!hook) {
    const reason = 'The policy has no approval hook: add [approval] to it'
    return { rules, ...createFailedAnswer(reason), waited_ms: 0 }
  }
  const timeout = AbortSignal.timeout(hook.timeoutMs)
  const abort = signal ? AbortSignal.any([timeout, signal]) : timeout
  const answer = await sendQuestion(hook, input, abort).catch((error: Error) =>
    createFailedAnswer(error.message),
  )
  if (signal?.aborted) throw cancelledError()
  const waited_ms = Math.round(performance.now() - since)
  if (!timeout.aborted) return { rules, ...answer, waited_ms }
  const reason = `No answer within ${spellDuration(hook.timeoutMs)}`
  return { rules, answer: 'timed-out', reason, waited_ms }
}

async function sendQuestion(
  hook: ApprovalHook,
  { question, env, excluded }: ApprovalInput,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const now = Date.now()
  const full: ApprovalQuestion = {
    schema: 'skills.approval-request/v1',
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(now + hook.timeoutMs).toISOString(),
    ...question,
  }
  const text = JSON.stringify(full)
  if (hook.kind === 'command') {
    const { askCommand } = await import('./ask-command.ts')
    return await askCommand({ command: hook.command, question: text, env, excluded, signal })
  }
  const { askWebhook } = await import('./ask-webhook.ts')
  const { url, secretFile } = hook
  return await askWebhook({ url, secretFile, question: text, signal })
}
