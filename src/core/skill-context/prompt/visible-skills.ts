import { memoize } from '../../../util/memoize.ts'
import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { SkillSummary } from './skill-summary.ts'

const removeGuide = memoize((all: readonly SkillSummary[]) =>
  all.filter((skill) => skill.name !== GUIDE_NAME),
)

/** Skills of an overview; the guide to the tools is omitted if those tools are not available. */
export function filterVisibleSkills(
  all: readonly SkillSummary[],
  tools: readonly string[],
): readonly SkillSummary[] {
  return tools.includes('list_skills') ? all : removeGuide(all)
}
