/** The name by which programs are compared: no folders, no quotes, in small letters. */
export function normalizeExecutable(asked: string): string {
  const bare = asked.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
  const name = bare.replaceAll('\\', '/').split('/').at(-1) ?? ''
  return name.toLowerCase()
}

/** The same without the ending that programs have on Windows. */
export function normalizeAlias(asked: string): string {
  return normalizeExecutable(asked).replace(/\.exe$/, '')
}
