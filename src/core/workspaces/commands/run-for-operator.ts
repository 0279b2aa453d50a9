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

/** A command that the operator configured, not a model. */
export type OperatorCommand = Pick<WorkspaceCommandSetting, 'cmd'> &
  Partial<Pick<WorkspaceCommandSetting, 'args' | 'env' | 'cwd' | 'timeoutMs'>>

/** Result of an operator's command. */
export interface OperatorRun {
  exitCode: number
  stdout: string
  stderr: string
  runId: string
}

/**
 * Runs the command in a sandbox like all others, but without the command lists, which are the
 * operator's own.
 */
export async function runForOperator(
  services: Services,
  { workspace, call }: { workspace: Workspace; call: WorkspaceCall },
  command: OperatorCommand,
): Promise<OperatorRun> {
  const { workspace: config, run } = services.config
  const { cmd, args = [], env = {}, cwd } = command
  const [stdout, stderr] = [new BoundedText(STREAM_BYTES), new BoundedText(STREAM_BYTES)]
  const recorded = { command: [cmd, ...args].map(quoteShellWord).join(' '), prepares: true }
  const plan = planCommand(
    workspace,
    {
      command: `exec ${recorded.command}`,
      folder: resolveWorkspaceFolder(cwd),
      env,
      stdin: 'none',
      timeoutMs: Math.min(command.timeoutMs ?? run.timeoutMs, run.maxTimeoutMs),
      asked: recorded,
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

/** Context of a separate run: of the call that it precedes only these fields apply. */
function createOperatorCall({ cwd, env, caller, runQueue }: WorkspaceCall): RunCall {
  return { cwd, env, caller: { name: caller?.name, door: caller?.door }, runQueue }
}
