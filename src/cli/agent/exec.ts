import type { SkillCommandParams, SkillRunResult } from '../../core/methods/skill-run/definition.ts'
import { openHandle } from '../access/open-handle.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { attach, screenOf, terminalOf } from './attach.ts'
import { commandParams } from './command-options.ts'

/** `skills agent exec`: what the tool skill_exec does, with a person in the place of the model. */
export async function exec(context: Context, call: Call): Promise<number> {
  const { result, exitCode } = await converse(context, call, {
    params: commandParams(context, call),
  })
  if (context.global.json) context.document('skills.agent-exec/v1', { result })
  else {
    // All of it was printed here.
    const warnings = (result?.warnings ?? []).filter(
      (each) => !/^std(?:out|err) truncated$/.test(each),
    )
    for (const warning of warnings) context.note(warning)
  }
  return exitCode < 0 ? 1 : exitCode
}

interface Conversed {
  result: SkillRunResult | undefined
  exitCode: number
}

/** Runs a command with this terminal, or with these pipes, until it has ended. */
export async function converse(
  context: Context,
  call: Call,
  { params, isAttended = false }: { params: SkillCommandParams; isAttended?: boolean },
): Promise<Conversed> {
  const terminal = context.global.json ? undefined : terminalOf(context)
  const onOutput = context.global.json ? undefined : screenOf(context, terminal !== undefined)
  const asked = { ...params, env: { ...colours(context, terminal), ...params.env } }
  const handle = await openHandle(context, call)
  context.endsItself?.()
  const session = await handle.openSession(asked, { terminal, onOutput, isAttended })
  await attach(context, session, terminal !== undefined)
  const { result, exit_code: exitCode = 1 } = await session.result()
  return { result, exitCode }
}

/** What programs ask for before they print colours. */
function colours(context: Context, terminal: object | undefined): Record<string, string> {
  const names = ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'LANG', 'LC_ALL']
  const known = names.flatMap((name) => {
    const value = context.env[name]
    return value === undefined || !terminal ? [] : [[name, value] as const]
  })
  return Object.fromEntries(known)
}
