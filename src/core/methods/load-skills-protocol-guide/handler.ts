import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { Services } from '../../services.ts'
import { readSkillFile } from '../read-skill-file/handler.ts'

/** The canonical guide's SKILL.md, exactly as read_skill_file gives it. */
export async function loadSkillsProtocolGuide(
  services: Pick<Services, 'repository'>,
): Promise<{ content: string }> {
  const { content } = await readSkillFile(services, { name: GUIDE_NAME, path: 'SKILL.md' })
  return { content }
}
