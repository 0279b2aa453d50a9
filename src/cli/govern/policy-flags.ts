import { resolve } from 'node:path'
import { textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'

/** The option that both commands take. */
export const POLICY_OPTION = {
  flags: '--policy <file>',
  description: "Another file in place of the operator's policy",
} as const

/** Settings by which a command line names another policy. */
export function policyFlags(context: Context, call: Call): Record<string, string> {
  const file = textOption(call, 'policy')
  return file === undefined ? {} : { 'policy.file': resolve(context.cwd, file) }
}
