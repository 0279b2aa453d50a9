import type { SearchSkillsResult } from '../../core/methods/search-skills/definition.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandHandle } from './command-handle.ts'

/** The most that one answer has. */
const MAX_SKILLS = 1000

/**
 * All skills of a remote runtime by name, or by name@version if there are several versions, and its
 * folders that are not valid skills.
 */
export async function listRemoteSkills(
  remote: CommandHandle,
): Promise<{ references: string[]; problems: SearchSkillsResult['problems'] }> {
  const { skills, total, problems } = await remote.call('search_skills', {
    query: '',
    limit: MAX_SKILLS,
  })
  if (total > skills.length) {
    throw new SkillsError('usage/invalid', `Expected names of skills: the runtime has ${total}`, {
      hint: `Without names, at most ${MAX_SKILLS} are read`,
    })
  }
  const versions = new Map<string, number>()
  for (const { name } of skills) versions.set(name, (versions.get(name) ?? 0) + 1)
  const references = skills.map(({ name, version }) =>
    versions.get(name) === 1 ? name : `${name}@${version}`,
  )
  return { references, problems }
}
