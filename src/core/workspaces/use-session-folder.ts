import type { RunCall } from '../runs/run-call.ts'
import type { SessionFolder } from '../runs/job.ts'
import type { Services } from '../services.ts'
import { getWorkspaceKey } from './commands/skill-command.ts'

type FolderServices = Pick<Services, 'config' | 'liveSessions' | 'workspaces'>

/**
 * Performs code or a program in the workspace of a session, whose end cancels it. Without a session,
 * it has a workspace of its own.
 */
export async function useSessionFolder<Result>(
  services: FolderServices,
  { session, call }: { session: string | undefined; call: RunCall },
  work: (call: RunCall, folder: SessionFolder | undefined) => Promise<Result>,
): Promise<Result> {
  if (session === undefined) return await work(call, undefined)
  const key = getWorkspaceKey(session, call)
  const [live, workspaces] = [await services.liveSessions(), await services.workspaces()]
  return await live.perform(key, call, async (own) => {
    return await workspaces.use(key, own, async (workspace) => {
      const folders = workspace.listMounts(services.config.workspace.hostRoots, [])
      const hold = () => workspaces.acquire(key)
      return await work(own, { workspace: { source: workspace.root }, folders, hold })
    })
  })
}
