import type {
  WorkspaceListParams,
  WorkspaceListResult,
} from '../../methods/workspace-list/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'
import { fileNotFoundError, resolveFilePath } from './edit-files.ts'
import { findFiles, MAX_LISTED_NAMES, type ListingBudget } from './find-files.ts'
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
    const found: ListedEntry[] = []
    const isComplete = await runInSlices(
      pattern === undefined
        ? walkFolder(tree, found, { folder, depth, budget })
        : listMatches(tree, found, {
            pattern: `${folder === '' ? '' : `${folder}/`}${pattern.trim()}`,
            budget,
          }),
    )
    return {
      path: folder === '' ? '.' : folder,
      entries: found,
      ...(!(isComplete && budget.left > 0) && { truncated: true }),
    }
  })
}

/** Returns false if there are too many entries. */
function* listMatches(
  tree: WorkspaceTree,
  found: ListedEntry[],
  { pattern, budget }: { pattern: string; budget: ListingBudget },
): Steps<boolean> {
  const paths = yield* findFiles(tree, [pattern], budget)
  for (const path of paths.slice(0, MAX_ENTRIES)) {
    const size = tree.withEntry(path, ({ stat }) => stat.size)
    found.push({ path, type: 'file', ...(size !== undefined && { size_bytes: size }) })
    yield
  }
  return paths.length <= MAX_ENTRIES
}

/** Lists an entry before its content; links are not followed. */
function* walkFolder(
  tree: WorkspaceTree,
  found: ListedEntry[],
  { folder, depth, budget }: { folder: string; depth: number; budget: ListingBudget },
): Steps<boolean> {
  budget.left -= 1
  const entries = yield* tree.list(folder, budget)
  for (const { name, stat } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.length >= MAX_ENTRIES) return false
    const path = folder === '' ? name : `${folder}/${name}`
    if (stat.isDirectory()) {
      found.push({ path, type: 'folder' })
      const inside = { folder: path, depth: depth - 1, budget }
      if (depth > 1 && !(yield* walkFolder(tree, found, inside))) return false
    } else if (stat.isSymbolicLink()) found.push({ path, type: 'link' })
    else if (stat.isFile()) found.push({ path, type: 'file', size_bytes: stat.size })
  }
  return true
}
