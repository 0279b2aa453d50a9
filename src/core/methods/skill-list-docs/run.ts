import { findSkill } from '../../loads/load-skill.ts'
import { listDocs } from '../../loads/skill-docs.ts'
import type { Runtime } from '../../runtime.ts'

export interface SkillListDocsParams {
  skill: string
  session?: string | undefined
  agent?: string | undefined
}

/** The documents of a skill, sorted by path. */
export async function skillListDocs(
  { repository }: Pick<Runtime, 'repository'>,
  params: SkillListDocsParams,
): Promise<string[]> {
  const { entry } = await findSkill(repository, params.skill)
  return await listDocs(repository, entry)
}
