import type { Config } from '../../config/config.ts'
import type { SharedSandboxUse } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { Workspace } from '../workspace.ts'

/** True if commands of these calls share the sandbox of their session. */
export function sharesSandbox(
  { sandbox }: Pick<Config['workspace'], 'sandbox'>,
  { caller }: Pick<RunCall, 'caller'>,
): boolean {
  // A command line runs one command, and no process outlives it.
  return sandbox === 'session' && caller?.door !== 'cli'
}

/** Describes the use of the session's sandbox; undefined if each command has its own. */
export async function createSharedUse(
  services: Services,
  { workspace, call, warnings }: { workspace: Workspace; call: RunCall; warnings: string[] },
): Promise<SharedSandboxUse | undefined> {
  if (!sharesSandbox(services.config.workspace, call)) return undefined
  const { id } = await services.sharedSandboxes()
  const { sandbox } = workspace.state
  if (sandbox !== undefined && sandbox !== id) {
    workspace.update(() => ({ sandbox: undefined }))
    warnings.push(
      'The runtime has restarted: the background processes and running commands of this session, and the files in /tmp, are gone; the files of the workspace are still there',
    )
  }
  const workspaces = await services.workspaces()
  return {
    session: workspace.key,
    revision: describeRevision(workspace),
    warn: (text) => warnings.push(text),
    acquire: () => {
      const release = workspaces.acquire(workspace.key)
      workspace.update(() => ({ sandbox: id }))
      return ({ isLast, isStopped }) => {
        // After a restart, its loss is reported.
        if (isLast && !isStopped) forgetSandbox(workspace)
        release()
      }
    },
  }
}

/** A removed workspace and a renewed copy of a skill are other folders at the same paths. */
function describeRevision({ state }: Workspace): string {
  const copies = Object.entries(state.skills).filter(([, { isCopy }]) => isCopy)
  return JSON.stringify([state.createdAt, copies.map(([name, { stagedAt }]) => [name, stagedAt])])
}

/** The workspace may be gone already. */
function forgetSandbox(workspace: Workspace): void {
  try {
    workspace.update(() => ({ sandbox: undefined }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
