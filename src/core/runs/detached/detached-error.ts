import { SkillsError } from '../../../errors.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { DetachedError } from './detached-run.ts'

/** Converts an error for another process or a file. */
export function toDetachedError(
  { code, message, hint, data }: SkillsError,
  redactor: Pick<Redactor, 'text'>,
): DetachedError {
  const redact = (value: unknown): unknown => redactValue(value, redactor)
  return {
    code,
    message: redactor.text(message),
    ...(hint !== undefined && { hint: redactor.text(hint) }),
    ...(data && { data: redact(data) as Record<string, unknown> }),
  }
}

export function fromDetachedError({ code, message, hint, data }: DetachedError): SkillsError {
  return new SkillsError(code, message, { hint, data })
}

function redactValue(value: unknown, redactor: Pick<Redactor, 'text'>): unknown {
  if (typeof value === 'string') return redactor.text(value)
  if (Array.isArray(value)) return value.map((each) => redactValue(each, redactor))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, each]) => [name, redactValue(each, redactor)]))
}
