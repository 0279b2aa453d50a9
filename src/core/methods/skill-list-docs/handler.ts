import { findSkill } from '../../skill-context/load-skill.ts'
import { listDocs } from '../../skill-context/skill-docs.ts'
import type { Services } from '../../services.ts'
import type { SkillListDocsParams } from './definition.ts'

/** `skill_list_docs`: lists the documents of a skill by path. */
export async function skillListDocs(
  { repository }: Pick<Services, 'repository'>,
  params: SkillListDocsParams,
): Promise<string[]> {
  const { entry } = await findSkill(repository, params.skill)
  return await listDocs(repository, entry)
}
