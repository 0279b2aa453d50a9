/** Folders of the system that every sandbox mounts. */
const SYSTEM_FOLDERS = /^\/(?:usr|bin|sbin|lib|lib32|lib64)(?:\/|$)/

/** True for a path in a folder of the system that every sandbox mounts. */
export function isSystemPath(path: string): boolean {
  return SYSTEM_FOLDERS.test(path)
}
