import type { SkillCommandParams, SkillRunResult } from '../../core/methods/skill-run/definition.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { attachTerminal, createOutputWriter, getTerminalSize } from './attach.ts'
import { readGrants } from './grant-options.ts'
import { readCommandParams } from './command-options.ts'

/** `skills agent exec`: the tool skill_exec, with the user in the model's role. */
export async function runExecCommand(context: Context, call: CommandLine): Promise<number> {
  const { result, exitCode } = await runInteractively(context, call, {
    params: readCommandParams(context, call),
  })
  if (context.global.json) context.document('skills.agent-exec/v1', { result })
  else noteWarnings(context, result)
  return exitCode < 0 ? 1 : exitCode
}

/** Prints the warnings of a command whose whole output was already printed. */
export function noteWarnings(context: Context, result: SkillRunResult | undefined): void {
  for (const warning of result?.warnings ?? []) {
    if (!/^std(?:out|err) truncated/.test(warning)) context.note(toPrintable(warning))
  }
}

interface InteractiveResult {
  result: SkillRunResult | undefined
  exitCode: number
}

/** Runs a command on this terminal, or on these pipes, until it ends. */
export async function runInteractively(
  context: Context,
  call: CommandLine,
  { params, isAttended = false }: { params: SkillCommandParams; isAttended?: boolean },
): Promise<InteractiveResult> {
  const terminal = context.global.json ? undefined : getTerminalSize(context)
  const onOutput = context.global.json
    ? undefined
    : createOutputWriter(context, terminal !== undefined)
  const sessionParams = {
    ...params,
    env: { ...listColorVariables(context, terminal), ...params.env },
  }
  const handle = await openHandle(context, call)
  context.handleInterruption?.()
  const grants = await readGrants(context, call, handle)
  const io = { terminal, onOutput, isAttended, ...grants }
  const session = await handle.openSession(sessionParams, io)
  await attachTerminal(context, session, terminal !== undefined)
  const { result, exit_code: exitCode = 1 } = await session.result()
  return { result, exitCode }
}

/** Variables by which programs decide whether to print colours. */
function listColorVariables(
  context: Context,
  terminal: object | undefined,
): Record<string, string> {
  const names = ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'LANG', 'LC_ALL']
  const variables = names.flatMap((name) => {
    const value = context.env[name]
    return value === undefined || !terminal ? [] : [[name, value] as const]
  })
  return Object.fromEntries(variables)
}
