import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { SkillSummary } from './skill-summary.ts'

/** Each name once, as its newest version says it, ordered by name. */
export function summariseSkills(entries: readonly SkillEntry[]): readonly SkillSummary[] {
  const byName = new Map<string, SkillSummary>()
  for (const { name, description } of entries) {
    if (!byName.has(name)) byName.set(name, { name, description })
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
