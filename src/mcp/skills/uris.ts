/** Scheme of all skill URIs. */
export const SKILL_URI_BASE = 'skill://'
export const SKILL_FILE = 'SKILL.md'

/**
 * Builds the path of a skill: its dotted name as nested folders. The extension requires the last
 * segment to be the `name` of the front matter, so it is appended if the dotted name ends
 * differently.
 */
export function buildSkillPath(id: string, name: string): string[] {
  const segments = id.split('.')
  return segments.at(-1) === name ? segments : [...segments, name]
}

/** Builds a URI below `skill://`. Throws URIError for segments that cannot be encoded. */
export function buildSkillUri(segments: readonly string[]): string {
  return SKILL_URI_BASE + segments.map(encodeSegment).join('/')
}

/** Encodes only characters with a special meaning, as browsers do. */
function encodeSegment(segment: string, index: number): string {
  if (segment === '.' || segment === '..') return segment.replaceAll('.', '%2E')
  // The first segment is the authority of the URI, which allows fewer characters.
  if (index === 0) return encodeURIComponent(segment)
  return segment.replaceAll(/[^\w!$&'()*+,.:;=@[\]|~-]/gu, (each) => encodeURIComponent(each))
}

/** Returns the canonical form of a URI; undefined if it is invalid. */
export function canonicalizeUri(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const { href } = new URL(uri)
  return href.length > SKILL_URI_BASE.length && href.endsWith('/') ? href.slice(0, -1) : href
}

/** Sort order of all lists. */
export function compareUris(a: { uri: string }, b: { uri: string }): number {
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0
}
