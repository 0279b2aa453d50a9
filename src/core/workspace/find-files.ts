import { globMatcher } from '../../util/glob.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** So many names are looked at for one pattern. */
const MAX_LOOKS = 100_000
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

/** Regular files that match, in the order of the patterns, each once under its name without links. */
export function findFiles(tree: WorkspaceTree, patterns: readonly string[]): string[] {
  const found = new Set<string>()
  const looks = { left: MAX_LOOKS }
  for (const pattern of patterns) {
    const plain = plainPath(pattern.trim())
    if (plain === undefined || plain.split('/').includes('..')) continue
    for (const each of alternatives(plain)) {
      match(tree, { at: '', rest: each.split('/').filter(Boolean), found, looks })
    }
  }
  return [...found]
}

interface Matching {
  at: string
  rest: readonly string[]
  found: Set<string>
  looks: { left: number }
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
  const fits = matcherOf(part)
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

function matcherOf(part: string): (name: string) => boolean {
  try {
    return globMatcher(part)
  } catch {
    return (name) => name === part
  }
}

/** `{a,b/c}` as two patterns. */
function alternatives(pattern: string): string[] {
  const found = /\{([^{}]*)\}/.exec(pattern)
  if (!found) return [pattern]
  const [all, inside = ''] = found
  return inside.split(',').flatMap((each) => alternatives(pattern.replace(all, () => each)))
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
