import { realpathSync } from 'node:fs'

/** Folders that hold what is the caller's: no run may see one of them, or what is above it. */
export function listUserFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const { HOME: home = '', XDG_DATA_HOME: data, XDG_CONFIG_HOME: config } = env
  const own = [home, data || `${home}/.local/share`, config || `${home}/.config`]
  return ['/', ...own.filter((path) => path.startsWith('/'))].map(resolveLinks)
}

/** Whether a folder holds one of these. */
export function containsUserFolder(folder: string, own: readonly string[]): boolean {
  return own.some((path) => isBelow(path, folder))
}

/** Whether a path is this folder or in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** Where a path leads to; the path itself where it leads nowhere. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
