import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, type CommandLine, type OptionDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { buildConfigRequest } from '../runtime.ts'
import type { SettingPath } from '../../core/config/edit/setting-path.ts'

export const GLOBAL_OPTION: OptionDefinition = {
  flags: '-g, --global',
  description: "Change the user's configuration file, not the project's",
}

/** Configuration file that a command changes. */
export interface ChangeTarget {
  file: string
  isGlobal: boolean
}

/** The file of --config, of the user, or of the project, which may be absent. */
export async function findChangeTarget(context: Context, call: CommandLine): Promise<ChangeTarget> {
  const { noConfig, config } = context.global
  const isGlobal = getFlagOption(call, 'global')
  const conflict = noConfig ? '--no-config' : isGlobal && config !== undefined ? '--global' : ''
  if (conflict) {
    const message = noConfig
      ? 'Expected a configuration file to change, got --no-config'
      : 'Expected --global or --config, got both'
    throw new SkillsError('usage/invalid', message, { hint: `Remove ${conflict}` })
  }
  const { resolveProject, resolveUserFile } = await import('../../core/config/load-config.ts')
  const request = buildConfigRequest(context)
  if (isGlobal) return { file: resolveUserFile(request), isGlobal }
  const { CONFIG_FILE_NAME } = await import('../../core/config/find-project.ts')
  const { dir, file } = resolveProject(request)
  return { file: file ?? join(dir, CONFIG_FILE_NAME), isGlobal }
}

/** Refuses a setting that the project's file must not contain. */
export async function checkTargetLayer(
  context: Context,
  { key }: SettingPath,
  { isGlobal }: ChangeTarget,
): Promise<void> {
  const { OPERATOR_KEYS } = await import('../../core/config/operator-keys.ts')
  if (isGlobal || context.global.config !== undefined || !OPERATOR_KEYS.has(key.key)) return
  const message = `"${key.key}" is only allowed in the user's configuration, not in a project's`
  throw new SkillsError('usage/invalid', message, { hint: 'Add --global' })
}
