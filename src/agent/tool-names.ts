import { SkillsError } from '../errors.ts'

/** What providers take as the name of a tool. */
const MAX_NAME_CHARACTERS = 64

/**
 * A tool's name in letters, digits, `_` and `-`, as OpenAI and Anthropic want it: a dot becomes two
 * underscores. Whatever would read as one of ours is written as its code, so the way back is certain.
 */
export function toProviderName(name: string): string {
  const wire = name.replaceAll(
    /\.|_(?=[^A-Za-wyz0-9-])|(?<=[^A-Za-z0-9-])_|[^A-Za-z0-9_.-]/gu,
    (character) => (character === '.' ? '__' : `_x${character.codePointAt(0)?.toString(16)}_`),
  )
  if (wire !== '' && wire.length <= MAX_NAME_CHARACTERS) return wire
  throw new SkillsError(
    'usage/invalid',
    `Cannot name a tool "${name}": providers take 1 to ${MAX_NAME_CHARACTERS} characters`,
  )
}

/** The name that a provider's name stands for. */
export function fromProviderName(wire: string): string {
  return wire.replaceAll(/_x([0-9a-f]{1,6})_|__/g, (_all, code: string | undefined) =>
    code === undefined ? '.' : String.fromCodePoint(Number.parseInt(code, 16)),
  )
}
