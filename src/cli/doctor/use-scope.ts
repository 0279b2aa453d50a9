import type { Machine } from '../../core/doctor/check.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { buildConfigRequest } from '../runtime.ts'

/** A setting that `skills doctor --fix` wrote, and how to undo it. */
export interface WrittenSetting {
  setting: string
  value: string
  file: string
  undo: string
}

const UNDO = 'skills config unset --global run.scope'

/**
 * Sets `run.scope` in the user's configuration if this user cannot create control groups and systemd
 * gives a scope with them. Returns undefined if there is nothing to change.
 */
export async function useScope(
  context: Context,
  { config, env }: Pick<Machine, 'config' | 'env'>,
): Promise<WrittenSetting | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return undefined
  const { backend, scope } = config.run
  if (scope === 'systemd' || backend === 'container' || context.global.noConfig) return undefined
  const { canCreateControlGroups } = await import('../../core/sandbox/cgroups/cgroup.ts')
  if (await canCreateControlGroups()) return undefined
  const { tryDelegatedScope } = await import('../../core/doctor/try-delegated-scope.ts')
  if ((await tryDelegatedScope(env)).ok !== true) return undefined
  const { resolveUserFile } = await import('../../core/config/load-config.ts')
  const { setConfigValue } = await import('../../core/config/edit/edit-config.ts')
  const file = resolveUserFile(buildConfigRequest(context))
  await setConfigValue(file, ['run', 'scope'], 'systemd')
  context.note(
    `Set run.scope = "systemd" in ${toPrintable(file)}: commands that run skills now start in a scope of systemd, where the kernel limits memory, processes and processor time of a whole run. To undo: ${UNDO}`,
  )
  return { setting: 'run.scope', value: 'systemd', file, undo: UNDO }
}
