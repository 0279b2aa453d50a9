import { dirname } from 'node:path'
import { loadConfig, resolveUserFile } from '../../core/config/load-config.ts'
import type { ProjectSettings } from '../../core/config/project/project-settings.ts'
import { TrustedProjects } from '../../core/config/project/project-trust.ts'
import type { Context } from '../context.ts'
import { buildConfigRequest } from '../runtime.ts'
import type { ChangeTarget } from './change-target.ts'

/**
 * Changes a configuration file by a command of its user. The project's file is trusted afterwards if
 * it was trusted before, or had no setting that needs trust.
 */
export async function keepTrust(
  context: Context,
  { file, isGlobal }: ChangeTarget,
  change: () => Promise<boolean>,
): Promise<boolean> {
  if (isGlobal || context.global.config !== undefined) return await change()
  const before = await readProject(context)
  const isChanged = await change()
  const after = await readProject(context)
  const isOwn = before === undefined || before.trust === 'trusted'
  if (isOwn && after?.file === file && after.trust !== 'trusted') {
    await new TrustedProjects(dirname(resolveUserFile(context))).add(file, after.digest)
  }
  return isChanged
}

async function readProject(context: Context): Promise<ProjectSettings | undefined> {
  const request = { ...buildConfigRequest(context), onProblem: () => {} }
  return (await loadConfig(request)).projectSettings
}
