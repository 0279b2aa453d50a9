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
  const { CONFIG_FILE_NAME, isInSkill } = await import('../../core/config/project/find-project.ts')
  const { dir, file } = resolveProject(request)
  if (file === undefined && isInSkill(dir)) {
    const message = `"${dir}" is in a skill, where no ${CONFIG_FILE_NAME} is read`
    throw new SkillsError('usage/invalid', message, {
      hint: 'Add --global, or type the command in a folder that holds the skill',
    })
  }
  return { file: file ?? join(dir, CONFIG_FILE_NAME), isGlobal }
}

/** Refuses a setting that the project's file must not contain. */
export function checkTargetLayer(
  context: Context,
  { key }: SettingPath,
  { isGlobal }: ChangeTarget,
): void {
  if (isGlobal || context.global.config !== undefined || key.setBy !== 'user') return
  const message = `"${key.key}" is only allowed in the user's configuration, not in a project's`
  throw new SkillsError('usage/invalid', message, { hint: 'Add --global' })
}
