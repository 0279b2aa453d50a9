import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isExecutableFile } from '../../util/find-program.ts'
import { once } from '../../util/once.ts'

/** Where a program was found. */
export interface FoundProgram {
  /** As PATH has it: what it is beside matters to some. */
  path: string
  /** What it is in the end. */
  real: string
}

/** Where programs are looked for. */
interface SearchOptions {
  /** As in PATH. */
  searchPath: string
  /** Folders whose programs are never started: those that are worked on. */
  excluded: readonly string[]
}

/** Programs of one name, the first one first, and why others that are there are passed over. */
export interface ProgramSearch {
  found: readonly FoundProgram[]
  refused: readonly string[]
}

/**
 * Looks a program up as a shell would, but passes over what somebody else could have put there:
 * relative folders, a project's own tools, folders that others may write to.
 */
export function searchProgram(name: string, place: SearchOptions): ProgramSearch {
  const refused: string[] = []
  const found: FoundProgram[] = []
  for (const folder of place.searchPath.split(':')) {
    if (!folder.startsWith('/')) continue
    const path = join(folder, name)
    if (!isExecutableFile(path)) continue
    const checked = checkProgram(path, place.excluded)
    if ('real' in checked) found.push({ path, real: checked.real })
    else refused.push(checked.problem)
  }
  return { found, refused }
}

/** The file that a path leads to, or why it must not be started. */
export function checkProgram(
  path: string,
  excluded: readonly string[],
): { real: string } | { problem: string } {
  const places = [path]
  try {
    const real = followLinks(path, places)
    const own = [...places, real].find((each) => belongsToProject(each, excluded))
    if (own !== undefined) return { problem: `"${own}" belongs to the project that is worked on` }
    return isExecutableFile(real) ? { real } : { problem: `"${path}" is no program` }
  } catch (error) {
    if (error instanceof UntrustedProgramError) return { problem: error.message }
    return { problem: `"${path}" cannot be read: ${(error as NodeJS.ErrnoException).code}` }
  }
}

class UntrustedProgramError extends Error {}

/** A folder of packages is a project's, whatever its owner put into PATH. */
function belongsToProject(path: string, excluded: readonly string[]): boolean {
  const folder = dirname(path)
  const isLocal = basename(folder) === '.bin' && basename(dirname(folder)) === 'node_modules'
  return isLocal || excluded.some((root) => path === root || path.startsWith(`${root}/`))
}

const MAX_LINKS = 40

/** Follows links one by one, so that nobody but trusted users decides where one of them leads. */
function followLinks(path: string, places: string[]): string {
  let left = path.split('/').filter((part) => part !== '')
  let at = '/'
  for (let links = 0; left.length > 0;) {
    const [part = '', ...rest] = left
    left = rest
    const next = resolve(at, part)
    const stat = lstatSync(next)
    if (!stat.isSymbolicLink()) {
      checkOwner(next, stat)
      at = next
      continue
    }
    links += 1
    if (links > MAX_LINKS) throw new UntrustedProgramError(`"${path}" is a loop of links`)
    const target = resolve(at, readlinkSync(next))
    places.push(join(target, ...rest))
    left = [...target.split('/').filter((each) => each !== ''), ...rest]
    at = '/'
  }
  return at
}

/** In a shared folder with the sticky bit, others can neither replace nor rename what is not theirs. */
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

/** Groups below are the system's, such as the one that may install into /usr/local. */
const FIRST_USER_GROUP = 1000

function isTrustedGroup(group: number): boolean {
  return group < FIRST_USER_GROUP || group === process.getgid?.()
}

/** In a container, the system may belong to a user without a name. */
const getTrustedOwners = once(() => new Set([0, process.getuid?.() ?? 0, statSync('/usr').uid]))
