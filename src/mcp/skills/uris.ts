/** Every skill's address begins with this. */
export const SKILL_URI_BASE = 'skill://'
export const SKILL_FILE = 'SKILL.md'

/**
 * The path of a skill: its dotted name as nested folders. The extension wants the last one to be the
 * name of the front matter, which is therefore added where the dotted name ends with another word.
 */
export function buildSkillPath(id: string, name: string): string[] {
  const segments = id.split('.')
  return segments.at(-1) === name ? segments : [...segments, name]
}

/** The address of a path below `skill://`. Throws URIError for what no address can hold. */
export function buildSkillUri(segments: readonly string[]): string {
  return SKILL_URI_BASE + segments.map(encodeSegment).join('/')
}

/** Like the web's addresses: only what has a meaning of its own is written in another way. */
function encodeSegment(segment: string, index: number): string {
  if (segment === '.' || segment === '..') return segment.replaceAll('.', '%2E')
  // The first one is where other addresses have a host, which knows fewer characters.
  if (index === 0) return encodeURIComponent(segment)
  return segment.replaceAll(/[^\w!$&'()*+,.:;=@[\]|~-]/gu, (each) => encodeURIComponent(each))
}

/** An address as it is written everywhere; undefined for what is none. */
export function canonicalizeUri(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const { href } = new URL(uri)
  return href.length > SKILL_URI_BASE.length && href.endsWith('/') ? href.slice(0, -1) : href
}

/** The order of everything that is listed. */
export function compareUris(a: { uri: string }, b: { uri: string }): number {
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0
}
