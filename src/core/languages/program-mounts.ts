import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { isScript } from './is-script.ts'
import type { FoundProgram } from './trusted-program.ts'
import type { ResolvedProgram } from './resolved-language.ts'
import { isBelow, containsUserFolder } from './user-folders.ts'

/** Folders of the system that every sandbox mounts. */
const SYSTEM_FOLDERS = /^\/(?:usr|bin|sbin|lib|lib32|lib64)\//
/** Folder inside the sandbox for programs from outside /usr. */
const TOOLCHAINS = '/toolchains'

interface MountRequest {
  found: FoundProgram
  /** True if the path inside must equal the path on the host. */
  isFixed: boolean
  /** Folders with the user's files. No run may mount one of them completely. */
  userFolders: readonly string[]
}

/**
 * Plans the mounts of a program from outside /usr. Undefined if a mount would expose the user's
 * files.
 */
export function mountProgram({
  found,
  isFixed,
  userFolders,
}: MountRequest): ResolvedProgram | undefined {
  const { real } = found
  if (SYSTEM_FOLDERS.test(real)) return { inside: real, real, mounts: [], environment: {} }
  const top = findInstallation(found)
  const target = isFixed ? top : `${TOOLCHAINS}/${hashPath(top)}`
  if (dirname(top) !== '/' && !containsUserFolder(top, userFolders)) {
    const inside = target + real.slice(top.length)
    return { inside, real, mounts: [{ source: top, target }], environment: {} }
  }
  // A program in a single file can be mounted alone; a script needs other files.
  if (isScript(real)) return undefined
  const alone = isFixed ? real : `${TOOLCHAINS}/${hashPath(real)}/${basename(real)}`
  return { inside: alone, real, mounts: [{ source: real, target: alone }], environment: {} }
}

/** Derives a stable name from a path without revealing the path. */
function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8)
}

/** Finds the root of an installation: the parent of its `bin`, or the folder of the program. */
function findInstallation({ path, real }: FoundProgram): string {
  const [above] = [path, real].map(dirname).filter((folder) => basename(folder) === 'bin')
  const top = above === undefined ? undefined : dirname(above)
  if (top !== undefined && isBelow(real, top)) return top
  const folder = dirname(real)
  return basename(folder) === 'bin' ? dirname(folder) : folder
}
