import type {
  WorkspaceListParams,
  WorkspaceListResult,
} from '../../methods/workspace-list/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'
import { fileNotFoundError, resolveFilePath } from './edit-files.ts'
import { findFiles, MAX_LISTED_NAMES } from './find-files.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

type ListedEntry = WorkspaceListResult['entries'][number]

const DEFAULT_DEPTH = 2
/** Each entry costs a model some tokens. */
const MAX_ENTRIES = 500

/** Lists files and folders of the workspace of a session. */
export async function listInWorkspace(
  services: Services,
  { session, path = '', pattern, depth = DEFAULT_DEPTH }: WorkspaceListParams,
  call: RunCall,
): Promise<WorkspaceListResult> {
  const isRoot = ['', '.', '/', '/workspace', 'workspace://'].includes(path.trim())
  const folder = isRoot ? '' : resolveFilePath(path)
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const tree = await workspace.tree()
    if (tree.withEntry(folder, ({ stat }) => stat.isDirectory()) !== true) {
      throw fileNotFoundError(folder)
    }
    const budget = { left: MAX_LISTED_NAMES }
    const found =
      pattern === undefined
        ? [...walkFolder(tree, { folder, depth, budget })]
        : listMatches(tree, `${folder === '' ? '' : `${folder}/`}${pattern.trim()}`, budget)
    const isCut = found.length > MAX_ENTRIES || budget.left <= 0
    return {
      path: folder === '' ? '.' : folder,
      entries: found.slice(0, MAX_ENTRIES),
      ...(isCut && { truncated: true }),
    }
  })
}

function listMatches(tree: WorkspaceTree, pattern: string, budget: { left: number }) {
  return findFiles(tree, [pattern], budget).map((path): ListedEntry => {
    const size = tree.withEntry(path, ({ stat }) => stat.size)
    return { path, type: 'file', ...(size !== undefined && { size_bytes: size }) }
  })
}

/** Lists a folder before its folders; links are not followed. */
function* walkFolder(
  tree: WorkspaceTree,
  { folder, depth, budget }: { folder: string; depth: number; budget: { left: number } },
): Generator<ListedEntry> {
  const entries = budget.left > 0 ? tree.list(folder) : []
  budget.left -= entries.length + 1
  for (const { name, stat } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (stat.isDirectory()) {
      yield { path, type: 'folder' }
      if (depth > 1) yield* walkFolder(tree, { folder: path, depth: depth - 1, budget })
    } else if (stat.isSymbolicLink()) yield { path, type: 'link' }
    else if (stat.isFile()) yield { path, type: 'file', size_bytes: stat.size }
  }
}
