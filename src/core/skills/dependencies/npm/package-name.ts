/** A name that the registry accepts; capitals are those of old packages. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[A-Za-z0-9~-][\w.~-]*$/
const REFUSED = new Set(['node_modules', 'favicon.ico'])
const MAX_NAME = 214

/** Imports of these names are those of the runtime and of mounted skills. */
export const OWN_NAMES: ReadonlySet<string> = new Set(['runtime', 'skills'])

export function isNpmName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name) && !REFUSED.has(name.toLowerCase())
}

/** Splits `name@range`; the range is empty without one. */
export function splitNpmSpec(text: string): { name: string; range: string } {
  const at = text.indexOf('@', 1)
  return at === -1
    ? { name: text, range: '' }
    : { name: text.slice(0, at), range: text.slice(at + 1) }
}
