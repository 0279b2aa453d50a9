/** Front matter keys of the Agent Skills format. */
export const AGENT_SKILL_KEYS = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]

/**
 * Describes why a text is not a valid name in the Agent Skills format; undefined if it is valid.
 */
export function describeAgentNameProblem(name: string): string | undefined {
  const normal = name.trim().normalize('NFKC')
  const length = countCharacters(normal)
  if (length > 64) return `has ${length} characters, expected at most 64`
  if (normal !== normal.toLowerCase()) return 'has upper-case letters, expected lower case'
  if (!/^[\p{L}\p{N}-]+$/u.test(normal))
    return 'has characters other than letters, digits and hyphens'
  if (normal.startsWith('-') || normal.endsWith('-')) return 'starts or ends with a hyphen'
  return normal.includes('--') ? 'has two hyphens in a row' : undefined
}

/** Counts code points, as the reference validator of the format does. */
export function countCharacters(text: string): number {
  return [...text].length
}
