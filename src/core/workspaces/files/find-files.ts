import { createNameMatcher } from './match-name.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** Budget of directory entries to read for one request. */
export const MAX_LISTED_NAMES = 100_000
/** Cost of a pattern itself, because `{a,b}` expands to several. */
const PATTERN_COST = 10
const SPECIAL = /[*?[\]{}]/
const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))(?=\/|$)/
/** Variables at the beginning of a path, and their folders in the workspace. */
const FOLDERS: Readonly<Record<string, string>> = {
  WORKSPACE_DIR: '',
  SKILLS_DIR: 'skills',
  WORK_DIR: 'work',
  OUTPUT_DIR: 'out',
}

/**
 * Path relative to the workspace's root, without a variable or `/workspace/`; undefined for an
 * unknown variable.
 */
export function toWorkspacePath(path: string): string | undefined {
  const found = VARIABLE.exec(path)
  if (!found) return path.replace(/^\/workspace(?=\/|$)/, '').replace(/^\/+/, '')
  const folder = FOLDERS[found[1] ?? found[2] ?? '']
  if (folder === undefined) return undefined
  return `${folder}/${path.slice(found[0].length)}`.replaceAll(/\/{2,}/g, '/').replace(/^\//, '')
}

/** Remaining budget of directory entries. */
export interface ListingBudget {
  left: number
}

/**
 * Regular files that match, in the order of the patterns; each once, by its path without symlinks.
 */
export function findFiles(
  tree: WorkspaceTree,
  patterns: readonly string[],
  budget: ListingBudget,
): string[] {
  const found = new Set<string>()
  for (const pattern of patterns) {
    const plain = toWorkspacePath(pattern.trim())
    if (plain === undefined || plain.split('/').includes('..')) continue
    for (const each of expandBraces(plain)) {
      budget.left -= PATTERN_COST
      if (budget.left <= 0) return [...found]
      matchPattern(tree, { at: '', rest: splitPattern(each), found, budget })
    }
  }
  return [...found]
}

/** Merges consecutive `**` parts. */
function splitPattern(pattern: string): string[] {
  const parts = pattern.split('/').filter(Boolean)
  return parts.filter((part, at) => part !== '**' || parts[at - 1] !== '**')
}

interface MatchState {
  at: string
  rest: readonly string[]
  found: Set<string>
  budget: ListingBudget
}

function matchPattern(tree: WorkspaceTree, state: MatchState): void {
  const { at, rest, found, budget } = state
  if (budget.left <= 0) return
  const [part, ...further] = rest
  if (part === undefined) {
    const file = tree.withEntry(at, ({ name, stat }) => (stat.isFile() ? name : undefined))
    if (file !== undefined) found.add(file)
    return
  }
  if (part === '**') return matchRecursively(tree, { ...state, rest: further })
  if (!SPECIAL.test(part))
    return matchPattern(tree, { ...state, at: joinPath(at, part), rest: further })
  const matchesName = createNameMatcher(part)
  for (const { name } of listSorted(tree, state)) {
    if (matchesName(name)) matchPattern(tree, { ...state, at: joinPath(at, name), rest: further })
  }
}

/** `**` matches any number of folders, but no symlinks. */
function matchRecursively(tree: WorkspaceTree, state: MatchState): void {
  const { at, rest } = state
  matchPattern(tree, { ...state, rest: rest.length === 0 ? ['*'] : rest })
  for (const { name, stat } of listSorted(tree, state)) {
    if (stat.isDirectory()) matchRecursively(tree, { ...state, at: joinPath(at, name) })
  }
}

function listSorted(tree: WorkspaceTree, { at, budget }: MatchState) {
  const entries = budget.left > 0 ? tree.list(at) : []
  budget.left -= entries.length + 1
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Expands `{a,b/c}` into two patterns. */
function* expandBraces(pattern: string): Generator<string> {
  const found = /\{([^{}]*)\}/.exec(pattern)
  if (!found) return yield pattern
  const [all, inside = ''] = found
  const [before, after] = [pattern.slice(0, found.index), pattern.slice(found.index + all.length)]
  for (const each of inside.split(',')) yield* expandBraces(`${before}${each}${after}`)
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
