import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { SkillSummary } from './skill-summary.ts'

const KNOWN = new WeakMap<readonly SkillSummary[], readonly SkillSummary[]>()

/** The skills of an overview: the guide to tools is none of them where those tools are not there. */
export function visibleSkills(
  all: readonly SkillSummary[],
  tools: readonly string[],
): readonly SkillSummary[] {
  if (tools.includes('list_skills')) return all
  const known = KNOWN.get(all) ?? all.filter((skill) => skill.name !== GUIDE_NAME)
  KNOWN.set(all, known)
  return known
}
