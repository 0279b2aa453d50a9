import type { WorkspaceCommandSetting } from '../../config/config.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import { BoundedText } from './bounded-text.ts'
import { planCommand } from './command-plan.ts'
import { shellExitCode } from './exit-code.ts'
import { resolveWorkspaceFolder } from './working-folder.ts'
import type { Workspace } from '../workspace.ts'
import type { WorkspaceCall } from '../workspaces.ts'

const STREAM_BYTES = 64 * 1024

/** A command that the operator wants to be run, not a model. */
export type OperatorCommand = Pick<WorkspaceCommandSetting, 'cmd'> &
  Partial<Pick<WorkspaceCommandSetting, 'args' | 'env' | 'cwd' | 'timeoutMs'>>

/** What it came to. */
export interface OperatorRun {
  exitCode: number
  stdout: string
  stderr: string
  runId: string
}

/** Runs it in a sandbox like all others; the lists of commands are not for who made them. */
export async function runForOperator(
  services: Services,
  { workspace, call }: { workspace: Workspace; call: WorkspaceCall },
  command: OperatorCommand,
): Promise<OperatorRun> {
  const { workspace: config, run } = services.config
  const { cmd, args = [], env = {}, cwd } = command
  const [stdout, stderr] = [new BoundedText(STREAM_BYTES), new BoundedText(STREAM_BYTES)]
  const asked = { command: [cmd, ...args].map(quoteShellWord).join(' '), prepares: true }
  const plan = planCommand(
    workspace,
    {
      command: `exec ${asked.command}`,
      folder: resolveWorkspaceFolder(cwd),
      env,
      stdin: 'none',
      timeoutMs: Math.min(command.timeoutMs ?? config.timeoutMs, run.maxTimeoutMs),
      asked,
      sinks: { stdout: (chunk) => stdout.add(chunk), stderr: (chunk) => stderr.add(chunk) },
    },
    { ...config, allowedCommands: [], deniedCommands: [] },
  )
  const { performRun } = await import('../../runs/perform-run.ts')
  const outcome = await performRun(services, plan, createOperatorCall(call))
  const { error, runId } = outcome
  const messages = [stderr.text().trim(), ...(error ? [`${error.type}: ${error.message}`] : [])]
  return {
    exitCode: shellExitCode(outcome),
    stdout: stdout.text(),
    stderr: messages.filter((each) => each !== '').join('\n'),
    runId,
  }
}

/** A run of its own: nothing of the call that it comes before is its. */
function createOperatorCall({ cwd, env, caller, door, gate }: WorkspaceCall): RunCall {
  return { cwd, env, caller, door, gate }
}
