/** Normalizes an executable name for comparison: no folders, no quotes, lower case. */
export function normalizeExecutable(executable: string): string {
  const bare = executable.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
  const name = bare.replaceAll('\\', '/').split('/').at(-1) ?? ''
  return name.toLowerCase()
}

/** Normalizes an executable name and removes the `.exe` extension of Windows. */
export function normalizeAlias(executable: string): string {
  return normalizeExecutable(executable).replace(/\.exe$/, '')
}
