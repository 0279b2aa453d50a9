import type { SkillCommandParams, SkillRunResult } from '../../methods/skill-run/definition.ts'
import { SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { BoundedText, MAX_STREAM_BYTES } from './bounded-text.ts'
import { finishCommand } from './finish-command.ts'
import { prepareSkillCommand, getWorkspaceKey } from './skill-command.ts'

/** Runs one command of a skill in the workspace of a session. */
export async function runSkillCommand(
  services: Services,
  params: SkillCommandParams,
  call: RunCall,
): Promise<SkillRunResult> {
  const key = getWorkspaceKey(params.session, call)
  const live = await services.liveSessions()
  return await live.perform(key, call, async (own) => await runToEnd(services, params, own))
}

async function runToEnd(
  services: Services,
  params: SkillCommandParams,
  call: RunCall,
): Promise<SkillRunResult> {
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(params.session, call), call, async (workspace) => {
    const ready = await prepareSkillCommand(services, params, { workspace, call, more: {} })
    const [stdout, stderr] = [new BoundedText(MAX_STREAM_BYTES), new BoundedText(MAX_STREAM_BYTES)]
    const sinks = {
      stdout: (chunk: Buffer) => stdout.add(chunk),
      stderr: (chunk: Buffer) => stderr.add(chunk),
    }
    const { performRun } = await import('../../runs/perform-run.ts')
    const startedMs = Date.now()
    const outcome = await performRun(services, { ...ready.plan, sinks }, call)
    if (outcome.status === 'cancelled') throw commandCancelledError()
    return await finishCommand(services, params, { ready, startedMs, outcome, stdout, stderr })
  })
}

function commandCancelledError(): SkillsError {
  return new SkillsError('run/cancelled', 'The command was cancelled')
}
