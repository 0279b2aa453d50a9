import type { ComponentType } from 'preact'
import type { InspectSkillResult } from '../../../core/methods/inspect-skill/definition.ts'

export type InspectedSkill = InspectSkillResult

export type SkillTab = ComponentType<SkillTabProps>

export interface SkillTabProps {
  skill: InspectedSkill
  search: URLSearchParams
}

/** Parameters that name the skill of a page in a call. */
export function nameSkill({ name, version }: InspectedSkill): { name: string; version: string } {
  return { name, version }
}
