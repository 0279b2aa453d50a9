import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { isExecutableFile } from '../../util/find-program.ts'
import { once } from '../../util/once.ts'

/** The location of a program. */
export interface FoundProgram {
  /** The path in PATH. Some programs use the files next to it. */
  path: string
  /** The path with links resolved. */
  real: string
}

/** Folders in which programs are searched. */
interface SearchOptions {
  /** In the format of PATH. */
  searchPath: string
  /** Project folders. Programs in them are never started. */
  excluded: readonly string[]
}

/** Programs of one name in search order, and the reasons for rejecting others. */
export interface ProgramSearch {
  found: readonly FoundProgram[]
  refused: readonly string[]
}

/**
 * Searches a program as a shell does, but skips those that another user could have placed: relative
 * folders, tools of a project, and folders that others can write to.
 */
export function searchProgram(name: string, options: SearchOptions): ProgramSearch {
  const refused: string[] = []
  const found: FoundProgram[] = []
  for (const folder of options.searchPath.split(':')) {
    if (!folder.startsWith('/')) continue
    const path = join(folder, name)
    if (!isExecutableFile(path)) continue
    const checked = checkProgram(path, options.excluded)
    if ('real' in checked) found.push({ path, real: checked.real })
    else refused.push(checked.problem)
  }
  return { found, refused }
}

/** A path that only trusted users decide about. */
interface TrustedPath {
  /** The path with links resolved. */
  real: string
  /** The path itself and the paths that its links name, in order. */
  visited: readonly string[]
}

/** Resolves a path to its file, or returns the reason why it must not be started. */
export function checkProgram(
  path: string,
  excluded: readonly string[],
): TrustedPath | { problem: string } {
  const checked = checkPath(path, excluded)
  if ('problem' in checked || isExecutableFile(checked.real)) return checked
  return { problem: `"${path}" is not a program` }
}

/** Resolves a path, or returns the reason why others may have put something there. */
export function checkPath(
  path: string,
  excluded: readonly string[],
): TrustedPath | { problem: string } {
  const visited = [path]
  try {
    const real = followLinks(path, visited)
    const projectOwned = [...visited, real].find((each) => belongsToProject(each, excluded))
    if (projectOwned !== undefined)
      return { problem: `"${projectOwned}" belongs to a project folder` }
    return { real, visited }
  } catch (error) {
    if (error instanceof UntrustedProgramError) return { problem: error.message }
    return { problem: `"${path}" cannot be read: ${(error as NodeJS.ErrnoException).code}` }
  }
}

class UntrustedProgramError extends Error {}

/** A `node_modules/.bin` folder counts as a project's, even if the user added it to PATH. */
function belongsToProject(path: string, excluded: readonly string[]): boolean {
  const isLocal = /\/node_modules\/\.bin(?:\/[^/]*)?$/.test(path)
  return isLocal || excluded.some((root) => path === root || path.startsWith(`${root}/`))
}

const MAX_LINKS = 40

/** Follows links one by one, so that only trusted users decide where each one leads. */
function followLinks(path: string, visited: string[]): string {
  let remaining = path.split('/').filter((part) => part !== '')
  let current = '/'
  for (let links = 0; remaining.length > 0;) {
    const [part = '', ...rest] = remaining
    remaining = rest
    const next = resolve(current, part)
    const stat = lstatSync(next)
    if (!stat.isSymbolicLink()) {
      checkOwner(next, stat)
      current = next
      continue
    }
    links += 1
    if (links > MAX_LINKS) throw new UntrustedProgramError(`"${path}" is a loop of links`)
    const target = resolve(current, readlinkSync(next))
    visited.push(join(target, ...rest))
    remaining = [...target.split('/').filter((each) => each !== ''), ...rest]
    current = '/'
  }
  return current
}

/** In a folder with the sticky bit, other users cannot replace or rename the files. */
function checkOwner(path: string, stat: Stats): void {
  if (!getTrustedOwners().has(stat.uid)) {
    throw new UntrustedProgramError(`"${path}" belongs to another user`)
  }
  const isSticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0
  if (isSticky) return
  const byGroup = (stat.mode & 0o020) !== 0 && !isTrustedGroup(stat.gid)
  if (byGroup || (stat.mode & 0o002) !== 0) {
    throw new UntrustedProgramError(`Other users can write to "${path}"`)
  }
}

/** Lower ids are system groups, such as the one that may install into /usr/local. */
const FIRST_USER_GROUP = 1000

function isTrustedGroup(group: number): boolean {
  return group < FIRST_USER_GROUP || group === process.getgid?.()
}

/** In a container, /usr may be owned by a user without a name. */
const getTrustedOwners = once(() => new Set([0, process.getuid?.() ?? 0, statSync('/usr').uid]))
