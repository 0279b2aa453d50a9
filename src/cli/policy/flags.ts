import { resolve } from 'node:path'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Option of both policy commands. */
export const POLICY_OPTION = {
  flags: '--policy <file>',
  description: "Use this file instead of the operator's policy",
} as const

/** Settings that select another policy file. */
export function readPolicyFlags(context: Context, call: CommandLine): Record<string, string> {
  const file = getTextOption(call, 'policy')
  return file === undefined ? {} : { 'policy.file': resolve(context.cwd, file) }
}
