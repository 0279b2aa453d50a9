import { hasReadSkill, isSameSkill, type AgentLoads } from '../core/skill-context/session-state.ts'
import { SkillsError } from '../errors.ts'

/** Tools of the application that become available with the request after a skill was loaded. */
export interface ToolActivation {
  skill: string
  /** Names of the application's own tools. */
  tools: readonly string[]
  /** `include` (default) adds them to the other tools, `only` replaces those. */
  mode?: 'include' | 'only'
  /** Until the turn ends (default) or for the whole session. */
  lifetime?: 'turn' | 'session'
}

/** The application's tools that a request offers, in their original order. */
export function listActiveTools(
  own: readonly string[],
  activations: readonly ToolActivation[],
  loads: AgentLoads,
): string[] {
  if (activations.length === 0) return [...own]
  const active = activations.filter((each) => isActive(each, loads))
  const only = active.filter((each) => each.mode === 'only')
  if (only.length > 0) {
    const names = new Set(only.flatMap((each) => each.tools))
    return own.filter((name) => names.has(name))
  }
  const candidates = new Set(activations.flatMap((each) => each.tools))
  const shown = new Set(active.flatMap((each) => each.tools))
  return own.filter((name) => !candidates.has(name) || shown.has(name))
}

/** Rejects rules that can never apply. */
export function checkActivations(activations: readonly ToolActivation[]): void {
  for (const { skill, tools } of activations) {
    if (skill.trim() === '') throw invalidActivationError('a rule has no skill name')
    if (tools.length === 0) throw invalidActivationError(`the rule of "${skill}" has no tool name`)
  }
}

function isActive({ skill, lifetime = 'turn' }: ToolActivation, loads: AgentLoads): boolean {
  if (lifetime === 'turn') return loads.fresh.some((name) => isSameSkill(name, skill))
  return hasReadSkill(loads, skill)
}

function invalidActivationError(reason: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot tie tools to skills: ${reason}`)
}
