import type { Config } from '../config/config.ts'
import { resolveLinks } from './user-folders.ts'

/**
 * Returns the project folders, as configured and with links resolved. Nothing in them is started.
 */
export function listProjectFolders({ repositories }: Pick<Config, 'repositories'>): string[] {
  const folders = Object.values(repositories).map(({ path }) => path)
  return [...new Set(folders.flatMap((path) => [path, resolveLinks(path)]))]
}
