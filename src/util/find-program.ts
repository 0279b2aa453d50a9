import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

/** Search path for programs if PATH is not set. */
export const DEFAULT_PATH = '/usr/bin:/bin'

/** Full path of a program. Relative folders in the search path are skipped. */
export function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isExecutableFile)
}

/** True for an executable file; false for a folder of that name. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
