import { SkillsError } from '../../../errors.ts'
import { splitReference } from '../../skills/reference.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { Services } from '../../services.ts'
import { stageSkill } from '../files/stage-skill.ts'
import type { Workspace } from '../workspace.ts'

/** Resolves a name, or name@version; throws if the skill does not exist. */
export async function resolveSkill(services: Services, reference: string): Promise<MountedSkill> {
  const entry = await services.repository.resolve(...splitReference(reference))
  return await services.repository.mount(entry)
}

/** Stages a skill into the workspace if necessary; false if the skill does not exist. */
export async function stageSkillByName(
  services: Services,
  workspace: Workspace,
  name: string,
): Promise<boolean> {
  if (Object.hasOwn(workspace.state.skills, name)) return true
  try {
    const skill = await resolveSkill(services, name)
    await stageSkill(workspace, skill, services.config.workspace.skills === 'copies')
    return true
  } catch (error) {
    if (error instanceof SkillsError && error.code.startsWith('skill/')) return false
    throw error
  }
}
