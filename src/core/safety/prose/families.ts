import { ACT_FAMILIES } from './act-families.ts'
import { DATA_FAMILIES } from './data-families.ts'
import type { Family, Phrase } from './family.ts'
import { inflect } from './inflect.ts'
import { MANNER_FAMILIES } from './manner-families.ts'

const BY_NAME = { ...DATA_FAMILIES, ...ACT_FAMILIES, ...MANNER_FAMILIES }

export type FamilyName = keyof typeof BY_NAME | 'host'

interface CompiledFamily {
  words: readonly string[]
  /** Words of which a sentence needs one for the phrase; undefined if any sentence may have it. */
  signs: readonly string[] | undefined
  phrase: Phrase | undefined
}

/** Families by name, with each form of their words. */
export const FAMILIES: ReadonlyMap<FamilyName, CompiledFamily> = new Map(
  Object.entries(BY_NAME as Record<string, Family>).map(
    ([name, { verbs = '', words = '', phrase, signs }]) => [
      name as FamilyName,
      {
        words: [...inflect(verbs), ...split(words)],
        signs: signs === undefined ? undefined : split(signs),
        phrase,
      },
    ],
  ),
)

function split(words: string): string[] {
  return words.split(/\s+/).filter(Boolean)
}
