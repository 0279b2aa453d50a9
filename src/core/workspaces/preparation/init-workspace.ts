import type { Services } from '../../services.ts'
import { SkillsError } from '../../../errors.ts'
import { describeCommandFailure, notPreparedError } from './not-prepared.ts'
import {
  runForOperator,
  type OperatorCommand,
  type OperatorRun,
} from '../commands/run-for-operator.ts'
import { OutsideWorkspaceError } from '../files/workspace-tree.ts'
import { writeWorkspaceFile } from '../files/write-file.ts'
import type { Workspace } from '../workspace.ts'
import type { WorkspaceCall } from '../workspaces.ts'

const MAX_READ = 64 * 1024 ** 2

/** A new workspace, as seen by hooks of the embedding application. */
export interface NewWorkspace {
  /** The owner; undefined if callers are not distinguished. */
  caller: string | undefined
  /** Writes a file at a path relative to the workspace's root. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>
  /** Undefined if the file does not exist. */
  read(path: string): Promise<Buffer | undefined>
  /** Runs a command in the workspace, sandboxed like all others. */
  run(command: OperatorCommand): Promise<OperatorRun>
}

/**
 * Called once with each new workspace, before it is used; if it throws, the workspace is discarded.
 */
export type WorkspaceHook = (workspace: NewWorkspace) => Promise<void> | void

/** Runs the operator's commands for a new workspace, then the hooks. */
export async function initWorkspace(
  services: Services,
  hooks: readonly WorkspaceHook[],
  { workspace, call }: { workspace: Workspace; call: WorkspaceCall },
): Promise<void> {
  for (const command of services.config.workspace.init) {
    const run = await runForOperator(services, { workspace, call }, command)
    if (run.exitCode !== 0 && !command.optional)
      throw notPreparedError(...describeCommandFailure(command, run))
  }
  const handle = createHookHandle(services, { workspace, call })
  for (const hook of hooks) {
    try {
      await hook(handle)
    } catch (error) {
      if (error instanceof SkillsError) throw error
      throw notPreparedError(
        'a hook failed',
        String((error as Error | undefined)?.message ?? error),
      )
    }
  }
}

function createHookHandle(
  services: Services,
  context: { workspace: Workspace; call: WorkspaceCall },
): NewWorkspace {
  const { workspace } = context
  return {
    caller: context.call.caller?.name,
    async write(path, content, mode = 0o644) {
      try {
        writeWorkspaceFile(await workspace.tree(), path, {
          bytes: Buffer.from(content as string),
          mode,
        })
      } catch (error) {
        if (error instanceof OutsideWorkspaceError)
          throw notPreparedError(`"${path}" cannot be written`, error.message)
        throw error
      }
    },
    read: async (path) => (await workspace.tree()).read(path, MAX_READ)?.bytes,
    run: async (command) => await runForOperator(services, context, command),
  }
}
