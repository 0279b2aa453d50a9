import type { Config } from '../config/config.ts'
import { resolveLinks } from './user-folders.ts'

/** Folders that are worked on, as they are named and as they are found: nothing in them is started. */
export function listProjectFolders({ repositories }: Pick<Config, 'repositories'>): string[] {
  const folders = Object.values(repositories).map(({ path }) => path)
  return [...new Set(folders.flatMap((path) => [path, resolveLinks(path)]))]
}
