import type { SkillCommandParams, SkillRunResult } from '../../core/methods/skill-run/definition.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { attachTerminal, createOutputWriter, getTerminalSize } from './attach.ts'
import { readCommandParams } from './command-options.ts'

/** `skills agent exec`: the tool skill_exec, with the user in the model's role. */
export async function runExecCommand(context: Context, call: CommandLine): Promise<number> {
  const { result, exitCode } = await runInteractively(context, call, {
    params: readCommandParams(context, call),
  })
  if (context.global.json) context.document('skills.agent-exec/v1', { result })
  else {
    // The whole output was already printed here.
    const warnings = (result?.warnings ?? []).filter(
      (each) => !/^std(?:out|err) truncated$/.test(each),
    )
    for (const warning of warnings) context.note(warning)
  }
  return exitCode < 0 ? 1 : exitCode
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
  const session = await handle.openSession(sessionParams, { terminal, onOutput, isAttended })
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
