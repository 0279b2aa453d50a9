import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { isExecutableFile } from '../../../util/find-program.ts'
import { isBelow, resolveLinks } from '../user-folders.ts'
import { addProgram, findInstallationFolder, readInterpreter } from './installation.ts'
import type { MountSet, PrivateFolders } from './mount-set.ts'
import { isSystemPath } from './system-path.ts'

/** Folders of PATH with more entries are not searched for links to other folders. */
const MAX_ENTRIES = 4000
/** Its programs are installed by hand, and may have an interpreter elsewhere. */
const LOCAL_PROGRAMS = '/usr/local/'

/** Result for one folder of PATH. */
export type FolderResult = { folder: string } | { problem: string }

/** Adds a folder of PATH with everything that its programs lead to. */
export function addProgramFolder(
  mounts: MountSet,
  folder: string,
  privateFolders: PrivateFolders,
): FolderResult {
  if (!isSystemPath(folder)) {
    const real = resolveLinks(folder)
    const installation = findInstallationFolder(real, privateFolders)
    const problem = mounts.addFolder(installation) ?? mounts.addFolder(folder)
    if (problem) return problem
  }
  for (const entry of listPrograms(folder)) {
    const path = join(folder, entry.name)
    if (leadsElsewhere(mounts, entry, path)) addProgram(mounts, path, privateFolders)
  }
  return { folder }
}

/** True for a link or a script whose program the run would not see yet. */
function leadsElsewhere(mounts: MountSet, entry: Dirent, path: string): boolean {
  if (entry.isSymbolicLink()) {
    const real = resolveLinks(path)
    if (!mounts.covers(real)) return isExecutableFile(real)
    if (isSystemPath(real)) return false
  }
  const isOwn = !isSystemPath(path) || path.startsWith(LOCAL_PROGRAMS)
  if (!isOwn || !isExecutableFile(path)) return false
  const interpreter = readInterpreter(path)
  return (
    interpreter !== undefined &&
    !isSystemPath(resolveLinks(interpreter)) &&
    !(mounts.covers(interpreter) && mounts.covers(resolveLinks(interpreter)))
  )
}

function listPrograms(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.length > MAX_ENTRIES ? [] : entries.filter((entry) => !entry.isDirectory())
  } catch {
    return []
  }
}

/** Lists the absolute folders of a search path once, without those of projects. */
export function listSearchFolders(searchPath: string, excluded: readonly string[]): string[] {
  const folders = searchPath
    .split(':')
    .filter((folder) => folder.startsWith('/') && folder !== '/')
    .map((folder) => folder.replace(/\/+$/, ''))
  return [...new Set(folders)].filter((folder) => !excluded.some((root) => isBelow(folder, root)))
}
