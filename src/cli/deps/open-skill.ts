import type { Runtime } from '../../core/runtime.ts'
import type { MountedSkill } from '../../core/skills/mounted-skill.ts'
import type { Context } from '../context.ts'
import { findSkill, openLocalFolders, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

/** Opens the skill that a command line names, on this machine. */
export async function openDependentSkill(
  context: Context,
  reference: string,
): Promise<{ runtime: Runtime; skill: MountedSkill }> {
  const runtime = await openRuntime(context)
  const repository = resolveReferences(runtime.repository, openLocalFolders(context))
  const entry = await findSkill(repository, reference)
  return { runtime, skill: { manifest: await repository.manifest(entry), dir: entry.dir } }
}
