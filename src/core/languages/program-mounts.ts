import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { isScript } from './is-script.ts'
import type { FoundProgram } from './trusted-program.ts'
import type { ResolvedProgram } from './resolved-language.ts'
import { isBelow, containsUserFolder } from './user-folders.ts'

/** What every sandbox sees of the system. */
const SYSTEM_FOLDERS = /^\/(?:usr|bin|sbin|lib|lib32|lib64)\//
/** Where programs from elsewhere lie inside. */
const TOOLCHAINS = '/toolchains'

interface MountRequest {
  found: FoundProgram
  /** Where it lies inside is where it lies outside. */
  isFixed: boolean
  /** Folders that hold what is the caller's: no run may see one of them whole. */
  userFolders: readonly string[]
}

/** How a program from outside of /usr gets into a sandbox; undefined where that would show too much. */
export function mountProgram({
  found,
  isFixed,
  userFolders: own,
}: MountRequest): ResolvedProgram | undefined {
  const { real } = found
  if (SYSTEM_FOLDERS.test(real)) return { inside: real, real, mounts: [], environment: {} }
  const top = findInstallation(found)
  const target = isFixed ? top : `${TOOLCHAINS}/${hashPath(top)}`
  if (dirname(top) !== '/' && !containsUserFolder(top, own)) {
    const inside = target + real.slice(top.length)
    return { inside, real, mounts: [{ source: top, target }], environment: {} }
  }
  // A program that is one file needs nothing beside it; a script does.
  if (isScript(real)) return undefined
  const alone = isFixed ? real : `${TOOLCHAINS}/${hashPath(real)}/${basename(real)}`
  return { inside: alone, real, mounts: [{ source: real, target: alone }], environment: {} }
}

/** The same for the same folder, and says nothing about where that is. */
function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8)
}

/** The folder of a whole installation: above the `bin` that names it, or that of the program itself. */
function findInstallation({ path, real }: FoundProgram): string {
  const [above] = [path, real].map(dirname).filter((folder) => basename(folder) === 'bin')
  const top = above === undefined ? undefined : dirname(above)
  if (top !== undefined && isBelow(real, top)) return top
  const folder = dirname(real)
  return basename(folder) === 'bin' ? dirname(folder) : folder
}
