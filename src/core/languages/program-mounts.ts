import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isScript } from './shims/is-script.ts'
import { findSecrets } from './toolchains/secret-files.ts'
import { isSystemPath } from './toolchains/system-path.ts'
import type { FoundProgram } from './trusted-program.ts'
import type { ResolvedProgram } from './resolved-language.ts'
import { isBelow, containsUserFolder } from './user-folders.ts'

/** Folder inside the sandbox for programs from outside /usr. */
const TOOLCHAINS = '/toolchains'

/** A package of an npm prefix: its program is a link to a file in it, and needs none of the others. */
const NODE_PACKAGE = /^\/.+?\/lib\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

interface MountRequest {
  found: FoundProgram
  /** True if the path inside must equal the path on the host. */
  isFixed: boolean
  /** Folders with the user's files. No run may mount one of them completely. */
  userFolders: readonly string[]
  /** Files and folders with credentials. No run may see one of them. */
  secretPaths: readonly string[]
}

/**
 * Plans the mounts of a program from outside /usr. Undefined if a mount would expose the user's
 * files.
 */
export function mountProgram({
  found,
  isFixed,
  userFolders,
  secretPaths,
}: MountRequest): ResolvedProgram | undefined {
  const { path, real, top } = findInstallation(found)
  // A program with several names selects its function by argv[0], so its link is started.
  const started = basename(path) === basename(real) ? real : path
  if (isSystemPath(real)) {
    return { inside: isSystemPath(path) ? started : real, real, mounts: [], environment: {} }
  }
  const target = isFixed ? top : `${TOOLCHAINS}/${hashPath(top)}`
  const isSeparate = dirname(top) !== '/' && !containsUserFolder(top, userFolders)
  if (isSeparate && findSecrets(top, secretPaths).length === 0) {
    const file = isBelow(started, top) && isRelativeLink(started) ? started : real
    const inside = target + file.slice(top.length)
    return { inside, real, mounts: [{ source: top, target }], environment: {} }
  }
  // A program in a single file can be mounted alone; a script needs other files.
  if (isScript(real)) return undefined
  const alone = isFixed ? started : `${TOOLCHAINS}/${hashPath(started)}/${basename(started)}`
  return { inside: alone, real, mounts: [{ source: real, target: alone }], environment: {} }
}

/** True for a file, and for a link that leads to the same file wherever its folder is mounted. */
function isRelativeLink(path: string): boolean {
  return !lstatSync(path).isSymbolicLink() || !readlinkSync(path).startsWith('/')
}

/** Derives a stable name from a path without revealing the path. */
function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8)
}

/** Adds the root of an installation: the parent of its `bin`, or the folder of the program. */
function findInstallation({ path, real }: FoundProgram): FoundProgram & { top: string } {
  const nodePackage = NODE_PACKAGE.exec(real)?.[0]
  return nodePackage === undefined
    ? { path, real, top: findTopFolder({ path, real }) }
    : { path: real, real, top: nodePackage }
}

function findTopFolder({ path, real }: FoundProgram): string {
  const [above] = [path, real].map(dirname).filter((folder) => basename(folder) === 'bin')
  const top = above === undefined ? undefined : dirname(above)
  if (top !== undefined && isBelow(real, top)) return top
  const folder = dirname(real)
  return basename(folder) === 'bin' ? dirname(folder) : folder
}
