import { SkillsError } from '../../errors.ts'

/** Limit of providers for a tool's name. */
const MAX_NAME_CHARACTERS = 64

/**
 * Converts a tool's name to letters, digits, `_` and `-`, as OpenAI and Anthropic require: a dot
 * becomes two underscores. Other characters, and sequences that would be ambiguous, are written as
 * their code point, so the mapping is reversible.
 */
export function toProviderName(name: string): string {
  const providerName = name.replaceAll(
    /\.|_(?=[^A-Za-wyz0-9-])|(?<=[^A-Za-z0-9-])_|[^A-Za-z0-9_.-]/gu,
    (character) => (character === '.' ? '__' : `_x${character.codePointAt(0)?.toString(16)}_`),
  )
  if (providerName !== '' && providerName.length <= MAX_NAME_CHARACTERS) return providerName
  throw new SkillsError(
    'usage/invalid',
    `Cannot encode the tool name "${name}": providers accept 1 to ${MAX_NAME_CHARACTERS} characters`,
  )
}

/** Inverse of `toProviderName`. */
export function fromProviderName(providerName: string): string {
  return providerName.replaceAll(/_x([0-9a-f]{1,6})_|__/g, (_all, code: string | undefined) =>
    code === undefined ? '.' : String.fromCodePoint(Number.parseInt(code, 16)),
  )
}
