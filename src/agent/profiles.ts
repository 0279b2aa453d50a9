import { METHODS } from '../core/methods/index.ts'
import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import { nearest } from '../util/nearest.ts'
import { PROFILES, type ProfileName } from '../core/skill-context/prompt/profile-names.ts'

export { PROFILES, type ProfileName } from '../core/skill-context/prompt/profile-names.ts'

/** A profile's name, or exactly the tools that are meant. */
export type ToolChoice = ProfileName | readonly string[]

/** Tools that make no sense without another one. */
const REQUIRES: Readonly<Record<string, string>> = {
  skill_exec: 'skill_run',
  skill_write_stdin: 'skill_exec',
  skill_poll_session: 'skill_exec',
  skill_kill_session: 'skill_exec',
  workspace_write_stdin: 'workspace_exec',
  workspace_kill_session: 'workspace_exec',
}

export interface ToolsOptions {
  /** Commands of a skill only run once it was loaded, so the tool that loads has to be there too. */
  requireLoaded?: boolean
}

/** The tools of a profile or of an exact list, in a stable order. Throws `usage/invalid`. */
export function toolsOf(choice: ToolChoice, options: ToolsOptions = {}): readonly Method[] {
  const names = typeof choice === 'string' ? profileNamed(choice) : listed(choice)
  checkCombination(names, options.requireLoaded ?? true)
  return names.map(methodNamed)
}

function profileNamed(word: string): readonly string[] {
  const name = word.trim().toLowerCase().replaceAll('-', '_')
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name as ProfileName]
  const known = Object.keys(PROFILES)
  const guess = nearest(name, known)
  throw new SkillsError('usage/invalid', `Unknown tool profile "${word}"`, {
    hint: guess ? `Did you mean "${guess}"?` : `Choose one of ${known.join(', ')}`,
  })
}

function listed(choice: readonly string[]): readonly string[] {
  return [...new Set(choice.map((each) => knownTool(each)))]
}

const BY_NAME = new Map<string, Method>(
  (METHODS as readonly unknown[] as readonly Method[]).map((method) => [method.name, method]),
)
const BY_LOWER_CASE = new Map(
  [...BY_NAME].flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((each) => [each.toLowerCase(), name] as const),
  ),
)

function knownTool(word: string): string {
  const found = BY_LOWER_CASE.get(word.trim().toLowerCase())
  if (found !== undefined) return found
  const guess = nearest(word.trim(), BY_NAME.keys())
  throw new SkillsError('usage/invalid', `Unknown skill tool "${word}"`, {
    hint: guess ? `Did you mean "${guess}"?` : `Choose from ${[...BY_NAME.keys()].join(', ')}`,
  })
}

function methodNamed(name: string): Method {
  return BY_NAME.get(name) ?? BY_NAME.get(knownTool(name))!
}

function checkCombination(names: readonly string[], requireLoaded: boolean): void {
  const given = new Set(names)
  for (const name of names) {
    const needed = REQUIRES[name]
    if (needed !== undefined && !given.has(needed)) {
      throw new SkillsError('usage/invalid', `${name} requires ${needed}`, {
        hint: `Add "${needed}" to the tools, or leave "${name}" out`,
      })
    }
  }
  if (!requireLoaded || given.has('skill_load')) return
  const run = names.find((name) => name === 'skill_run' || name === 'skill_exec')
  if (run === undefined) return
  throw new SkillsError(
    'usage/invalid',
    `${run} requires skill_load, since commands run only for skills that were loaded`,
    { hint: 'Add "skill_load" to the tools, or set requireLoaded to false' },
  )
}
