import { SkillsError } from '../../errors.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition, CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readSettings, type ShownSetting } from './read-settings.ts'
import { formatSetting } from './settings.ts'

export const GET_COMMAND: CommandDefinition = {
  summary: 'Print the effective value of one setting',
  arguments: [
    {
      syntax: '<setting>',
      description: 'Name of a setting, such as run.timeout',
      completes: 'settings',
    },
  ],
  options: REMOTE_OPTIONS,
  examples: [
    { command: 'skills config get run.timeout', explains: 'Print one value for a script' },
    { command: 'skills config get roots --json', explains: 'Print it with its origins as JSON' },
  ],
  run: (context, call) => showSetting(context, call),
}

/** Prints one setting. */
export async function showSetting(context: Context, call: CommandLine): Promise<number> {
  const { settings, problems } = await readSettings(context, call)
  const setting = await findSetting(settings, call.args[0] ?? '')
  // A script must not get a default instead of a broken file's value.
  if (problems[0]) throw problems[0]
  if (context.global.json) context.document('skills.setting/v1', { setting })
  else context.print(formatSetting(setting))
  return 0
}

async function findSetting(settings: readonly ShownSetting[], key: string): Promise<ShownSetting> {
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
