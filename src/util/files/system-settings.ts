import { readdirSync, statSync } from 'node:fs'

const SETTINGS_ROOT = '/etc'

/**
 * Lists the folders of /etc that programs in /usr cannot do without: symlinks lead to alternatives,
 * and no JVM starts without its settings.
 */
export function listSystemSettings(): string[] {
  return ['alternatives', 'java-*'].flatMap(findSettingsFolders)
}

/** Finds folders of /etc by a pattern; `*` matches any part of a name. */
export function findSettingsFolders(pattern: string): string[] {
  const [start = '', end = ''] = pattern.split('*')
  const names = pattern.includes('*')
    ? listSettings().filter((name) => name.startsWith(start) && name.endsWith(end))
    : [pattern]
  return names
    .map((name) => `${SETTINGS_ROOT}/${name}`)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
}

function listSettings(): string[] {
  try {
    return readdirSync(SETTINGS_ROOT)
  } catch {
    return []
  }
}
