import type { SkillsError } from '../../errors.ts'

/** What an error says to the operator: everything, for nobody else reads the log. */
export function buildOperatorMessage({ code, message, hint, cause }: SkillsError): string {
  if (code === 'internal/unexpected' && cause instanceof Error) return cause.stack ?? cause.message
  return hint === undefined ? message : `${message}. ${hint}`
}
