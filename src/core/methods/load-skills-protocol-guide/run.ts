import { GUIDE_NAME } from '../../manifest/fields.ts'
import type { Runtime } from '../../runtime.ts'
import { readSkillFile } from '../read-skill-file/run.ts'

/** The canonical guide's SKILL.md, exactly as read_skill_file gives it. */
export async function loadSkillsProtocolGuide(
  runtime: Pick<Runtime, 'repository'>,
): Promise<{ content: string }> {
  const { content } = await readSkillFile(runtime, { name: GUIDE_NAME, path: 'SKILL.md' })
  return { content }
}
