import { Glob, type GlobPosition } from '../../../util/glob/glob.ts'
import type { Steps } from '../../../util/slices/run-in-slices.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** Budget of directory entries to read for one request. */
export const MAX_LISTED_NAMES = 100_000
/** Cost of a pattern itself, and of each of its `STEPS_PER_NAME` steps, in directory entries. */
const PATTERN_COST = 10
const STEPS_PER_NAME = 100
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
 * Regular files that match, in the order of the patterns, the files of a folder before those of its
 * folders; each once, by its path without symlinks.
 */
export function* findFiles(
  tree: WorkspaceTree,
  patterns: readonly string[],
  budget: ListingBudget,
): Steps<string[]> {
  const found = new Set<string>()
  for (const pattern of patterns) {
    const plain = toWorkspacePath(pattern.trim())
    if (plain === undefined || plain.split('/').includes('..')) continue
    const parts = plain.split('/').filter((part) => part !== '' && part !== '.')
    budget.left -= PATTERN_COST
    if (budget.left <= 0) break
    const glob = new Glob(parts.join('/'))
    yield* new FileSearch(tree, { glob, found, budget }).visit('', glob.start)
  }
  return [...found]
}

/** An entry of a folder that a pattern may match. */
interface GlobCandidate {
  name: string
  position: GlobPosition
  isFile: boolean
  isFolder: boolean
  isLink: boolean
}

/** Each folder is visited once with all positions of the pattern that lead to it. */
class FileSearch {
  readonly #tree: WorkspaceTree
  readonly #glob: Glob
  readonly #found: Set<string>
  readonly #budget: ListingBudget
  /** Steps that the budget has paid for, in its units. */
  #charged = 0

  constructor(
    tree: WorkspaceTree,
    { glob, found, budget }: { glob: Glob; found: Set<string>; budget: ListingBudget },
  ) {
    this.#tree = tree
    this.#glob = glob
    this.#found = found
    this.#budget = budget
  }

  *visit(folder: string, position: GlobPosition): Steps<void> {
    yield
    const names = this.#glob.listNames(position)
    const candidates =
      names === undefined
        ? yield* this.#listCandidates(folder, position)
        : this.#nameCandidates(folder, position, names)
    this.#budget.left -= 1 + folder.split('/').length
    this.#chargeSteps()
    for (const { name, position: at, isFile, isLink } of candidates) {
      if (this.#budget.left <= 0) return
      if ((isFile || isLink) && this.#glob.accepts(at)) this.#addFile(joinPath(folder, name))
    }
    for (const { name, position: at, isFolder, isLink } of candidates) {
      if (this.#budget.left <= 0) return
      if (!isFolder && !isLink) continue
      // `**` matches any number of folders, but no symlinks.
      const next = this.#glob.advance(at, '/', { isLink })
      if (next.length > 0) yield* this.visit(joinPath(folder, name), next)
    }
  }

  *#listCandidates(folder: string, position: GlobPosition): Steps<GlobCandidate[]> {
    const candidates: GlobCandidate[] = []
    const entries = yield* this.#tree.list(folder, this.#budget)
    for (const { name, stat } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      yield
      if (this.#budget.left <= 0) break
      const next = this.#glob.advance(position, name)
      this.#chargeSteps()
      if (next.length === 0) continue
      const [isFile, isFolder, isLink] = [stat.isFile(), stat.isDirectory(), stat.isSymbolicLink()]
      candidates.push({ name, position: next, isFile, isFolder, isLink })
    }
    return candidates
  }

  /** Names without wildcards are not listed. Whether they exist is found out on the way. */
  #nameCandidates(
    folder: string,
    position: GlobPosition,
    names: readonly string[],
  ): GlobCandidate[] {
    return names.flatMap((name): GlobCandidate[] => {
      const next = this.#glob.advance(position, name)
      const candidate = { name, position: next, isFile: true, isFolder: true, isLink: false }
      if (names.length === 1) return [candidate]
      this.#budget.left -= 1
      // Otherwise each name that does not exist would be continued with all further ones.
      const exists = this.#tree.withEntry(joinPath(folder, name), () => true)
      return exists === true ? [candidate] : []
    })
  }

  #chargeSteps(): void {
    const units = Math.floor(this.#glob.steps / STEPS_PER_NAME)
    this.#budget.left -= units - this.#charged
    this.#charged = units
  }

  #addFile(path: string): void {
    const file = this.#tree.withEntry(path, ({ name, stat }) => (stat.isFile() ? name : undefined))
    if (file !== undefined) this.#found.add(file)
  }
}

function joinPath(folder: string, name: string): string {
  return folder === '' || name === '' ? folder + name : `${folder}/${name}`
}
