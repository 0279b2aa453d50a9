import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { SkillSummary } from './skill-summary.ts'

/** One summary per name, from its newest version, sorted by name. */
export function summariseSkills(entries: readonly SkillEntry[]): readonly SkillSummary[] {
  const byName = new Map<string, SkillSummary>()
  for (const { name, description } of entries) {
    if (!byName.has(name)) byName.set(name, { name, description })
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
