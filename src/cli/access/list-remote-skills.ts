import type { SearchSkillsResult } from '../../core/methods/search-skills/definition.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandHandle } from './command-handle.ts'

/** The most that one answer has. */
const MAX_SKILLS = 1000

/** References of all skills of a remote runtime, and its folders that are not valid skills. */
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
  return { references: skills.map(({ name, version }) => `${name}@${version}`), problems }
}
