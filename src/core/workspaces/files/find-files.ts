import { nameMatcher } from './match-name.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** So many names are looked at for one pattern. */
export const MAX_LOOKS = 100_000
/** A pattern alone, which `{a,b}` makes several. */
const LOOKS_OF_PATTERN = 10
const SPECIAL = /[*?[\]{}]/
const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))(?=\/|$)/
/** What variables of a workspace mean at the beginning of a path. */
const FOLDERS: Readonly<Record<string, string>> = {
  WORKSPACE_DIR: '',
  SKILLS_DIR: 'skills',
  WORK_DIR: 'work',
  OUTPUT_DIR: 'out',
}

/** A path from the top of the workspace, its variable or `/workspace/` taken off; undefined for an unknown one. */
export function plainPath(path: string): string | undefined {
  const found = VARIABLE.exec(path)
  if (!found) return path.replace(/^\/workspace(?=\/|$)/, '').replace(/^\/+/, '')
  const folder = FOLDERS[found[1] ?? found[2] ?? '']
  if (folder === undefined) return undefined
  return `${folder}/${path.slice(found[0].length)}`.replaceAll(/\/{2,}/g, '/').replace(/^\//, '')
}

/** How much may still be looked at. */
export interface Looks {
  left: number
}

/** Regular files that match, in the order of the patterns, each once under its name without links. */
export function findFiles(
  tree: WorkspaceTree,
  patterns: readonly string[],
  looks: Looks,
): string[] {
  const found = new Set<string>()
  for (const pattern of patterns) {
    const plain = plainPath(pattern.trim())
    if (plain === undefined || plain.split('/').includes('..')) continue
    for (const each of alternatives(plain)) {
      looks.left -= LOOKS_OF_PATTERN
      if (looks.left <= 0) return [...found]
      match(tree, { at: '', rest: partsOf(each), found, looks })
    }
  }
  return [...found]
}

/** Several ** in a row are one. */
function partsOf(pattern: string): string[] {
  const parts = pattern.split('/').filter(Boolean)
  return parts.filter((part, at) => part !== '**' || parts[at - 1] !== '**')
}

interface Matching {
  at: string
  rest: readonly string[]
  found: Set<string>
  looks: Looks
}

function match(tree: WorkspaceTree, matching: Matching): void {
  const { at, rest, found, looks } = matching
  if (looks.left <= 0) return
  const [part, ...further] = rest
  if (part === undefined) {
    const file = tree.at(at, ({ name, stat }) => (stat.isFile() ? name : undefined))
    if (file !== undefined) found.add(file)
    return
  }
  if (part === '**') return matchDeep(tree, { ...matching, rest: further })
  if (!SPECIAL.test(part)) return match(tree, { ...matching, at: below(at, part), rest: further })
  const fits = nameMatcher(part)
  for (const { name } of sorted(tree, matching)) {
    if (fits(name)) match(tree, { ...matching, at: below(at, name), rest: further })
  }
}

/** Any number of folders, none of which is a link. */
function matchDeep(tree: WorkspaceTree, matching: Matching): void {
  const { at, rest } = matching
  match(tree, { ...matching, rest: rest.length === 0 ? ['*'] : rest })
  for (const { name, stat } of sorted(tree, matching)) {
    if (stat.isDirectory()) matchDeep(tree, { ...matching, at: below(at, name) })
  }
}

function sorted(tree: WorkspaceTree, { at, looks }: Matching) {
  const entries = looks.left > 0 ? tree.list(at) : []
  looks.left -= entries.length + 1
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** `{a,b/c}` as two patterns. */
function* alternatives(pattern: string): Generator<string> {
  const found = /\{([^{}]*)\}/.exec(pattern)
  if (!found) return yield pattern
  const [all, inside = ''] = found
  const [before, after] = [pattern.slice(0, found.index), pattern.slice(found.index + all.length)]
  for (const each of inside.split(',')) yield* alternatives(`${before}${each}${after}`)
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
