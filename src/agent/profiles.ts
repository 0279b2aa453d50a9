import {
  findRenamedProfile,
  type FormerProfileName,
  type ProfileName,
} from '../core/methods/define-method.ts'
import { METHODS, METHODS_BY_NAME } from '../core/methods/index.ts'
import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import { findNearest } from '../util/find-nearest.ts'
import { PROFILES } from '../core/methods/profiles.ts'

export type { ProfileName } from '../core/methods/define-method.ts'
export { PROFILES } from '../core/methods/profiles.ts'

/** A profile's name, which may be a former one, or an exact list of tools. */
export type ToolChoice = ProfileName | FormerProfileName | readonly string[]

export interface ToolsOptions {
  /**
   * True (default) if commands of a skill run only after the skill was loaded. The tools must then
   * include `skill_load`.
   */
  requireLoaded?: boolean
}

/** Methods of a profile or of an exact list, in a stable order. Throws `usage/invalid`. */
export function resolveTools(choice: ToolChoice, options: ToolsOptions = {}): readonly Method[] {
  const names = typeof choice === 'string' ? findProfile(choice) : choice
  const methods = [...new Set(names.map(findToolMethod))]
  checkToolCombination(methods, options.requireLoaded ?? true)
  return methods
}

function findProfile(requestedName: string): readonly string[] {
  const written = requestedName.trim().toLowerCase().replaceAll('-', '_')
  const name = findRenamedProfile(written) ?? written
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name as ProfileName]
  const profileNames = Object.keys(PROFILES)
  const guess = findNearest(name, profileNames)
  throw new SkillsError('usage/invalid', `Unknown tool profile "${requestedName}"`, {
    hint: guess ? `Did you mean "${guess}"?` : `Choose one of ${profileNames.join(', ')}`,
  })
}

const METHODS_BY_LOWER_CASE = new Map(
  [...METHODS_BY_NAME].map(([name, method]) => [name.toLowerCase(), method] as const),
)

function findToolMethod(requestedName: string): Method {
  const found = METHODS_BY_LOWER_CASE.get(requestedName.trim().toLowerCase())
  if (found !== undefined) return found
  const names = METHODS.map(({ name }) => name)
  const guess = findNearest(requestedName.trim(), names)
  throw new SkillsError('usage/invalid', `Unknown skill tool "${requestedName}"`, {
    hint: guess ? `Did you mean "${guess}"?` : `Choose from ${names.join(', ')}`,
  })
}

function checkToolCombination(methods: readonly Method[], requireLoaded: boolean): void {
  const selected = new Set(methods.map(({ name }) => name))
  for (const { name, requires } of methods) {
    if (requires !== undefined && !selected.has(requires)) {
      throw new SkillsError('usage/invalid', `${name} requires ${requires}`, {
        hint: `Add "${requires}" to the tools, or leave "${name}" out`,
      })
    }
  }
  if (!requireLoaded || selected.has('skill_load')) return
  const run = methods.find(({ name }) => name === 'skill_run' || name === 'skill_exec')
  if (run === undefined) return
  throw new SkillsError(
    'usage/invalid',
    `${run.name} requires skill_load, since commands run only for loaded skills`,
    { hint: 'Add "skill_load" to the tools, or set requireLoaded to false' },
  )
}
