import { findNearest } from '../../util/find-nearest.ts'
import { CONFIG_KEYS, getVariableName } from './keys.ts'

/** Suggests a setting or section for a misspelt dotted key. */
export function suggestSetting(dotted: string): string | undefined {
  const known = listSettingsAndSections()
  const at = dotted.lastIndexOf('.') + 1
  const [parent, last] = [dotted.slice(0, at), dotted.slice(at)]
  const siblings = known
    .filter((each) => each.startsWith(parent) && !each.slice(at).includes('.'))
    .map((each) => each.slice(at))
  const sibling = findNearest(last, siblings)
  if (sibling !== undefined) return parent + sibling
  const misplaced = known.find((each) => each.endsWith(`.${last}`))
  if (misplaced !== undefined) return misplaced
  const section = dotted.split('.')[0] as string
  const better = findNearest(section, new Set(known.map((each) => each.split('.')[0] as string)))
  if (better !== undefined && better !== section) {
    const moved = better + dotted.slice(section.length)
    return known.includes(moved) ? moved : (suggestSetting(moved) ?? better)
  }
  return findNearest(dotted, known)
}

/** Variables that resemble one of our settings; those of other programs are ignored. */
export function findMisspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; meant: string }[] {
  const known = CONFIG_KEYS.flatMap((key) => getVariableName(key) ?? [])
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(VARIABLE_PREFIX) || known.includes(name)) return []
    const names = known.map((each) => each.slice(VARIABLE_PREFIX.length))
    const meant = findNearest(name.slice(VARIABLE_PREFIX.length), names)
    return meant === undefined ? [] : [{ name, meant: VARIABLE_PREFIX + meant }]
  })
}

const VARIABLE_PREFIX = 'SKILLS_'

function listSettingsAndSections(): string[] {
  const known = new Set<string>()
  for (const { key } of CONFIG_KEYS) {
    const parts = key.split('.')
    for (let length = 1; length <= parts.length; length++)
      known.add(parts.slice(0, length).join('.'))
  }
  return [...known]
}
