import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { Services } from '../../services.ts'
import { readSkillFile } from '../read-skill-file/handler.ts'

/** `load_skills_protocol_guide`: returns SKILL.md of the guide, exactly as read_skill_file does. */
export async function loadSkillsProtocolGuide(
  services: Pick<Services, 'repository'>,
): Promise<{ content: string }> {
  const { content } = await readSkillFile(services, { name: GUIDE_NAME, path: 'SKILL.md' })
  return { content }
}
