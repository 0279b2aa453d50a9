import { resolve } from 'node:path'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** The option that both commands take. */
export const POLICY_OPTION = {
  flags: '--policy <file>',
  description: "Another file in place of the operator's policy",
} as const

/** Settings by which a command line names another policy. */
export function readPolicyFlags(context: Context, call: CommandLine): Record<string, string> {
  const file = getTextOption(call, 'policy')
  return file === undefined ? {} : { 'policy.file': resolve(context.cwd, file) }
}
