import type {
  WorkspaceListParams,
  WorkspaceListResult,
} from '../../methods/workspace-list/definition.ts'
import type { Stats } from 'node:fs'
import type { RunCall } from '../../runs/run-call.ts'
import { runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'
import { fileNotFoundError, resolveFilePath } from './edit-files.ts'
import { findFiles, MAX_LISTED_NAMES, type ListingBudget } from './find-files.ts'
import { createSearchBudget, searchFile } from './search-file.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

type ListedEntry = WorkspaceListResult['entries'][number]

/** An entry, and its time in milliseconds. */
type TimedEntry = ListedEntry & { timeMs: number }

const DEFAULT_DEPTH = 2
/** Each entry costs a model some tokens. */
const MAX_ENTRIES = 500

/** Lists files and folders of the workspace of a session. */
export async function listInWorkspace(
  services: Services,
  params: WorkspaceListParams,
  call: RunCall,
): Promise<WorkspaceListResult> {
  const { session, path = '' } = params
  const isRoot = ['', '.', '/', '/workspace', 'workspace://'].includes(path.trim())
  const folder = isRoot ? '' : resolveFilePath(path)
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const tree = await workspace.tree()
    if (tree.withEntry(folder, ({ stat }) => stat.isDirectory()) !== true) {
      throw fileNotFoundError(folder)
    }
    const listing = new Listing(tree, params)
    const isComplete = await runInSlices(listing.find(folder))
    return {
      path: folder === '' ? '.' : folder,
      entries: listing.entries,
      ...(!isComplete && { truncated: true }),
    }
  })
}

/** Finds the entries of one request, within its budgets. */
class Listing {
  readonly #tree: WorkspaceTree
  readonly #params: WorkspaceListParams
  readonly #budget: ListingBudget = { left: MAX_LISTED_NAMES }
  readonly #search = createSearchBudget()
  readonly #found: TimedEntry[] = []
  /** Entries are sorted by time before the first ones are taken. */
  readonly #most: number

  constructor(tree: WorkspaceTree, params: WorkspaceListParams) {
    this.#tree = tree
    this.#params = params
    this.#most = params.by_time === true ? MAX_LISTED_NAMES : MAX_ENTRIES
  }

  get entries(): ListedEntry[] {
    const isByTime = this.#params.by_time === true
    const ordered = isByTime ? this.#found.toSorted((a, b) => b.timeMs - a.timeMs) : this.#found
    return ordered.slice(0, MAX_ENTRIES).map(({ timeMs, ...entry }) => ({
      ...entry,
      ...(isByTime && { modified_at: new Date(timeMs).toISOString() }),
    }))
  }

  /** Returns false if there are too many entries, or too much to search. */
  *find(folder: string): Steps<boolean> {
    const { pattern, contains, depth = DEFAULT_DEPTH } = this.#params
    const isSearch = pattern !== undefined || contains !== undefined
    const isComplete = isSearch
      ? yield* this.#findFiles(`${folder === '' ? '' : `${folder}/`}${pattern?.trim() ?? '**'}`)
      : yield* this.#walk(folder, depth)
    const isCut = this.#found.length > MAX_ENTRIES || this.#budget.left <= 0
    return isComplete && !isCut && !this.#search.isCut
  }

  *#findFiles(pattern: string): Steps<boolean> {
    const { contains } = this.#params
    const paths = yield* findFiles(this.#tree, [pattern], this.#budget)
    for (const path of paths) {
      if (this.#found.length > this.#most) return false
      yield
      const stat = this.#tree.withEntry(path, (entry) => entry.stat)
      if (!stat) continue
      const lines =
        contains === undefined
          ? undefined
          : searchFile(this.#tree, { path, text: contains }, this.#search)
      if (lines?.length !== 0) this.#add(path, stat, lines)
    }
    return true
  }

  /** Lists an entry before its content; links are not followed. */
  *#walk(folder: string, depth: number): Steps<boolean> {
    this.#budget.left -= 1
    const entries = yield* this.#tree.list(folder, this.#budget)
    for (const { name, stat } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (this.#found.length > this.#most) return false
      const path = folder === '' ? name : `${folder}/${name}`
      this.#add(path, stat)
      if (stat.isDirectory() && depth > 1 && !(yield* this.#walk(path, depth - 1))) return false
    }
    return true
  }

  #add(path: string, stat: Stats, lines?: ListedEntry['lines']): void {
    const timeMs = stat.mtimeMs
    if (stat.isDirectory()) this.#found.push({ path, type: 'folder', timeMs })
    else if (stat.isSymbolicLink()) this.#found.push({ path, type: 'link', timeMs })
    else if (stat.isFile()) {
      const own = { path, type: 'file', size_bytes: stat.size, timeMs } as const
      this.#found.push({ ...own, ...(lines && { lines }) })
    }
  }
}
