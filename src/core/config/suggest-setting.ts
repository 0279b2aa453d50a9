import { findNearest } from '../../util/find-nearest.ts'
import { CONFIG_KEYS, getVariableName } from './keys.ts'

/** Suggests a setting or section for a misspelt dotted key. */
export function suggestSetting(dotted: string): string | undefined {
  const knownNames = listSettingsAndSections()
  const at = dotted.lastIndexOf('.') + 1
  const [parent, last] = [dotted.slice(0, at), dotted.slice(at)]
  const siblings = knownNames
    .filter((each) => each.startsWith(parent) && !each.slice(at).includes('.'))
    .map((each) => each.slice(at))
  const sibling = findNearest(last, siblings)
  if (sibling !== undefined) return parent + sibling
  const misplaced = knownNames.find((each) => each.endsWith(`.${last}`))
  if (misplaced !== undefined) return misplaced
  const section = dotted.split('.')[0] as string
  const better = findNearest(
    section,
    new Set(knownNames.map((each) => each.split('.')[0] as string)),
  )
  if (better !== undefined && better !== section) {
    const moved = better + dotted.slice(section.length)
    return knownNames.includes(moved) ? moved : (suggestSetting(moved) ?? better)
  }
  return findNearest(dotted, knownNames)
}

/** Variables that resemble one of our settings; those of other programs are ignored. */
export function findMisspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; meant: string }[] {
  const knownNames = CONFIG_KEYS.flatMap((key) => getVariableName(key) ?? [])
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(VARIABLE_PREFIX) || knownNames.includes(name)) return []
    const names = knownNames.map((each) => each.slice(VARIABLE_PREFIX.length))
    const meant = findNearest(name.slice(VARIABLE_PREFIX.length), names)
    return meant === undefined ? [] : [{ name, meant: VARIABLE_PREFIX + meant }]
  })
}

const VARIABLE_PREFIX = 'SKILLS_'

function listSettingsAndSections(): string[] {
  const knownNames = new Set<string>()
  for (const { key } of CONFIG_KEYS) {
    const parts = key.split('.')
    for (let length = 1; length <= parts.length; length++)
      knownNames.add(parts.slice(0, length).join('.'))
  }
  return [...knownNames]
}
