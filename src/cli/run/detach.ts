import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { RunResult } from '../../core/runs/result.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Options that need a command which stays until the run ends. */
const ATTACHED_OPTIONS = {
  watch: '--watch',
  repeat: '--repeat',
  out: '--out',
  keep: '--keep',
  pdb: '--pdb',
  inspect: '--inspect',
  exitCode: '--exit-code',
} as const

/** Reads --detach. Rejects options that it cannot be combined with. */
export function readDetach(call: CommandLine): boolean {
  if (!getFlagOption(call, 'detach')) return false
  const used = Object.entries(ATTACHED_OPTIONS).find(
    ([name]) => call.options[name] !== undefined && call.options[name] !== false,
  )
  if (!used) return true
  throw new SkillsError('usage/invalid', `--detach cannot be combined with ${used[1]}`, {
    hint: 'Remove one of them: a detached run continues without this command',
  })
}

/** Prints the id of a started run to standard output, and the next commands to standard error. */
export function showDetached(context: Context, id: string): void {
  context.print(id)
  const short = id.slice(0, 'run_'.length + 8)
  context.note(`Started. Type "skills runs wait ${short}", or logs, cancel`)
}

/** Shows a detached function; returns the exit code. */
export function presentDetached(context: Context, result: RunResult): number {
  if (context.global.json) context.document('skills.run/v1', { ...result })
  else showDetached(context, result.run_id)
  return 0
}

/** True for a program that continues without the command. */
export function isDetachedProgram(
  result: ExecuteResult,
): result is ExecuteResult & { runId: string } {
  return result.status === 'running' && result.runId !== undefined
}
