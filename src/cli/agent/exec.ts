import type { SkillCommandParams } from '../../core/workspace/skill-command.ts'
import { notRemote, remotePlace } from '../access/remote-options.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { attach, screenOf, terminalOf } from './attach.ts'
import { commandParams } from './command-options.ts'

/** `skills agent exec`: what the tool skill_exec does, with a person in the place of the model. */
export async function exec(context: Context, call: Call): Promise<number> {
  refuseRemote(context, call)
  const { result, exitCode } = await converse(context, commandParams(context, call))
  if (context.global.json) context.document('skills.agent-exec/v1', { result })
  else for (const warning of result?.warnings ?? []) context.note(warning)
  return exitCode < 0 ? 1 : exitCode
}

/** Whoever named a runtime elsewhere does not expect a command to run here. */
export function refuseRemote(context: Context, call: Call): void {
  const place = remotePlace(context, call)
  if (place) throw notRemote('A terminal is only given to commands of this machine', place)
}

/** Runs a command with this terminal, or with these pipes, until it has ended. */
export async function converse(context: Context, params: SkillCommandParams, isAttended = false) {
  const runtime = await openRuntime(context)
  const terminal = context.global.json ? undefined : terminalOf(context)
  const { cwd, env } = context
  const { startSkillSession } = await import('../../core/workspace/skill-exec.ts')
  const onOutput = context.global.json ? undefined : screenOf(context, terminal !== undefined)
  context.endsItself?.()
  const started = await startSkillSession(
    runtime,
    { ...params, env: { ...colours(context, terminal), ...params.env } },
    { call: { cwd, env, door: 'cli' }, terminal, onOutput, isAttended },
  )
  await attach(context, started, terminal !== undefined)
  const { result, exit_code: exitCode = 1 } = await started.poll(0, 1)
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
