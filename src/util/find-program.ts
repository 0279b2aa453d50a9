import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

/** Where programs are looked for without a PATH. */
export const DEFAULT_PATH = '/usr/bin:/bin'

/** The full path of a program. Relative folders of a search path are passed over. */
export function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isExecutableFile)
}

/** Whether this is a file that may be started; a folder of that name is none. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
