import type { SkillCommandParams, SkillRunResult } from '../../methods/skill-run/definition.ts'
import type { ProgramSinks } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { BoundedText, MAX_STREAM_BYTES } from './bounded-text.ts'
import { finishCommand } from './finish-command.ts'
import { runCommand, type SessionCommand } from './run-command.ts'
import { prepareSkillCommand } from './skill-command.ts'

/** Runs one command of a skill in the workspace of a session. */
export async function runSkillCommand(
  services: Services,
  params: SkillCommandParams,
  call: RunCall,
): Promise<SkillRunResult> {
  return await runCommand(services, describeSkillCommand(services, params), call)
}

/** A command whose end is reported as `skill_run` does. `onOutput` receives its output too. */
export function describeSkillCommand(
  services: Services,
  params: SkillCommandParams,
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => ReturnType<ProgramSinks['stdout']>,
): SessionCommand<SkillRunResult> {
  const [stdout, stderr] = [new BoundedText(MAX_STREAM_BYTES), new BoundedText(MAX_STREAM_BYTES)]
  return {
    session: params.session,
    stdin: params.stdin,
    tools: 'skill',
    prepare: async (context) => await prepareSkillCommand(services, params, context),
    sinks: {
      stdout: (chunk) => (stdout.add(chunk), onOutput?.('stdout', chunk)),
      stderr: (chunk) => (stderr.add(chunk), onOutput?.('stderr', chunk)),
    },
    finish: async (end) => await finishCommand(services, params, { ...end, stdout, stderr }),
  }
}
