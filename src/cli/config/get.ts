import { SkillsError } from '../../errors.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'
import { formatSetting, listConfigSettings, type ConfigSetting } from './settings.ts'

export const GET_COMMAND: CommandDefinition = {
  summary: 'Print the effective value of one setting',
  arguments: [
    {
      syntax: '<setting>',
      description: 'Name of a setting, such as run.timeout',
      completes: 'settings',
    },
  ],
  examples: [
    { command: 'skills config get run.timeout', explains: 'Print one value for a script' },
    { command: 'skills config get roots --json', explains: 'Print it with its origins as JSON' },
  ],
  run: (context, call) => showSetting(context, call.args[0] ?? ''),
}

/** Prints one setting. */
export async function showSetting(context: Context, name: string): Promise<number> {
  const { problems, ...loaded } = await openConfigWithProblems(context)
  const setting = await findSetting(await listConfigSettings(loaded), name)
  // A script must not get a default instead of a broken file's value.
  if (problems[0]) throw problems[0]
  if (context.global.json) context.document('skills.setting/v1', { setting })
  else context.print(formatSetting(setting))
  return 0
}

async function findSetting(
  settings: readonly ConfigSetting[],
  key: string,
): Promise<ConfigSetting> {
  const setting = settings.find((each) => each.key === key)
  if (setting) return setting
  const { suggestSetting } = await import('../../core/config/suggest-setting.ts')
  const guess = suggestSetting(key)
  const isSection = settings.some((each) => each.key.startsWith(`${guess ?? key}.`))
  throw new SkillsError('usage/invalid', `Unknown setting "${key}"`, {
    hint:
      guess === undefined || isSection
        ? 'Type "skills config" to see every setting'
        : `Did you mean "skills config ${guess}"?`,
  })
}
