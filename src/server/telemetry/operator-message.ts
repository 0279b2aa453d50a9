import type { SkillsError } from '../../errors.ts'

/** Renders an error for the operator with all details, because callers cannot read the log. */
export function buildOperatorMessage({ code, message, hint, cause }: SkillsError): string {
  if (code === 'internal/unexpected' && cause instanceof Error) return cause.stack ?? cause.message
  return hint === undefined ? message : `${message}. ${hint}`
}
