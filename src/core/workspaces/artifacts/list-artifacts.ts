import type {
  ListArtifactsParams,
  ListArtifactsResult,
} from '../../methods/workspace-list-artifacts/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'
import { formatArtifactRef, listArtifacts } from './artifacts.ts'

const DEFAULT_LIMIT = 100

/** Lists a page of the artifacts of a session and of its caller. */
export async function listSessionArtifacts(
  services: Services,
  { session, prefix = '', after = '', limit = DEFAULT_LIMIT }: ListArtifactsParams,
  call: RunCall,
): Promise<ListArtifactsResult> {
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const found = (await listArtifacts(workspace)).filter(
      ({ name }) => name.startsWith(prefix) && name > after,
    )
    const page = found.slice(0, limit)
    const artifacts = page.map((each) => ({ ...each, ref: formatArtifactRef(each) }))
    const last = page.at(-1)
    return { artifacts, ...(last && found.length > limit && { next_after: last.name }) }
  })
}
