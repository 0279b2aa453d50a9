import { readFileSync } from 'node:fs'
import { execInWorkspace } from '../../core/workspaces/commands/workspace-exec.ts'
import { getWorkspaceKey } from '../../core/workspaces/commands/skill-command.ts'
import { writeWorkspaceFile } from '../../core/workspaces/files/write-file.ts'
import type { EvalRuntime } from './eval-runtime.ts'

/** A shell command in the workspace of a conversation, inside a sandbox. */
interface WorkspaceCommand {
  session: string
  command: string
  stdin: string
  env: Readonly<Record<string, string>>
  timeoutMs: number
  signal: AbortSignal
  /** Files to write first: absolute sources by path in the workspace. */
  files?: ReadonlyMap<string, { source: string; mode: number }>
}

/** Runs a command of an eval: its author is a stranger, so it runs in a sandbox only. */
export async function runInWorkspace(
  { test, call }: EvalRuntime,
  { session, command, stdin, env, timeoutMs, signal, files = new Map() }: WorkspaceCommand,
): Promise<{ exitCode: number; output: string }> {
  const workspaces = await test.services.workspaces()
  const key = getWorkspaceKey(session, call)
  return await workspaces.use(key, call, async (workspace) => {
    const tree = await workspace.tree()
    for (const [path, { source, mode }] of files) {
      writeWorkspaceFile(tree, path, { bytes: readFileSync(source), mode })
    }
    const params = { session, command, stdin, env: { ...env }, timeout: timeoutMs / 1000 }
    const result = await execInWorkspace(test.services, params, { ...call, signal })
    return { exitCode: result.exit_code ?? -1, output: result.output ?? '' }
  })
}
