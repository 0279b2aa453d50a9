import { realpathSync } from 'node:fs'

/** Lists folders with the user's files. No run may mount one of them or a parent of one. */
export function listUserFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const { HOME: home = '', XDG_DATA_HOME: data, XDG_CONFIG_HOME: config } = env
  const folders = [home, data || `${home}/.local/share`, config || `${home}/.config`]
  return ['/', ...folders.filter((path) => path.startsWith('/'))].map(resolveLinks)
}

/** True if a folder is or contains one of the user's folders. */
export function containsUserFolder(folder: string, userFolders: readonly string[]): boolean {
  return userFolders.some((path) => isBelow(path, folder))
}

/** True if a path is this folder or inside it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** Resolves all links of a path; returns the path itself if it does not exist. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
