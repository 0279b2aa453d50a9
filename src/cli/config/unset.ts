import type { CommandDefinition } from '../command.ts'
import { findChangeTarget, GLOBAL_OPTION } from './change-target.ts'
import { keepTrust } from './keep-trust.ts'
import { reportChange } from './report-change.ts'

export const UNSET_COMMAND: CommandDefinition = {
  summary: 'Remove a value from a configuration file',
  details: [
    'Remove a value from a configuration file.',
    '',
    "The file is skills.config.toml of the project, the user's file with",
    '--global, or the file of --config. Comments and all other lines are',
    'unchanged.',
  ].join('\n'),
  arguments: [
    {
      syntax: '<setting>',
      description: 'Name of a setting, such as run.timeout',
      completes: 'settings',
    },
  ],
  options: [GLOBAL_OPTION],
  examples: [
    { command: 'skills config unset run.timeout', explains: 'Use the default again' },
    {
      command: 'skills config unset --global run.limits.memory',
      explains: "Remove a value from the user's file",
    },
  ],
  async run(context, call) {
    const [name = ''] = call.args
    const { resolveSettingPath } = await import('../../core/config/edit/setting-path.ts')
    const setting = resolveSettingPath(name, 'skills config unset')
    const target = await findChangeTarget(context, call)
    const { unsetConfigValue } = await import('../../core/config/edit/edit-config.ts')
    const isChanged = await keepTrust(
      context,
      target,
      async () => await unsetConfigValue(target.file, setting.path),
    )
    await reportChange(context, { action: 'unset', name, setting, target, isChanged })
    return 0
  },
}
