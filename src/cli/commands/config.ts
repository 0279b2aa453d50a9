import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition, CommandLine } from '../command.ts'
import { findChangeTarget, GLOBAL_OPTION } from '../config/change-target.ts'
import { keepTrust } from '../config/keep-trust.ts'
import { reportChange } from '../config/report-change.ts'
import { SET_COMMAND } from '../config/set.ts'
import { readSettings, type ShownSetting } from '../config/read-settings.ts'
import { formatOrigin, formatSetting } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { reportLintFailures } from '../ui/lint-failures.ts'
import { formatTable } from '../ui/table.ts'

const SETTING = {
  syntax: '<setting>',
  description: 'Name of a setting, such as run.timeout',
  completes: 'settings',
} as const

const GET: CommandDefinition = {
  summary: 'Print the effective value of one setting',
  arguments: [SETTING],
  options: REMOTE_OPTIONS,
  examples: [
    { command: 'skills config get run.timeout', explains: 'Print one value for a script' },
    { command: 'skills config get roots --json', explains: 'Print it with its origins as JSON' },
  ],
  run: (context, call) => showSetting(context, call),
}

const UNSET: CommandDefinition = {
  summary: 'Remove a value from a configuration file',
  details: [
    'Remove a value from a configuration file.',
    '',
    "The file is skills.config.toml of the project, the user's file with",
    '--global, or the file of --config. Comments and all other lines are',
    'unchanged.',
  ].join('\n'),
  arguments: [SETTING],
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

export const command: CommandDefinition = {
  summary: 'Show the configuration and its origins, or change it',
  details: [
    'Show the effective configuration and its origins.',
    '',
    'Sources, from lowest to highest precedence:',
    '- defaults',
    "- the user's configuration file",
    '- skills.config.toml of the project',
    '- environment variables',
    '- flags',
    '',
    'Settings that start programs, leave the project or weaken isolation are',
    'ignored in a project until you trust it: skills trust project.',
    '',
    'Invalid settings are shown as well, with exit status 2.',
    '',
    'With --url, the settings of a server are shown; SKILLS_URL is not used.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[setting]',
      description: 'Name of one setting, such as run.timeout',
      completes: 'settings',
    },
  ],
  options: REMOTE_OPTIONS,
  subcommands: { get: GET, set: SET_COMMAND, unset: UNSET },
  examples: [
    { command: 'skills config', explains: 'Show every setting and its origin' },
    { command: 'skills config run.timeout', explains: 'Print one value for a script' },
    { command: 'skills config --json', explains: 'Print the same as JSON' },
    {
      command: 'skills config --url http://127.0.0.1:8080',
      explains: 'Show the settings of a server',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    const [name] = call.args
    if (name !== undefined) return showSetting(context, call)
    const { files, settings, problems } = await readSettings(context, call)
    if (context.global.json) {
      const reported = problems.map(({ code, message, hint, data }) => ({
        code,
        message,
        hint,
        data,
      }))
      context.document('skills.config/v1', { files, settings, problems: reported })
    } else {
      showSettings(context, settings)
      const shown = files.map(toPrintable).join(', ')
      context.note(shown === '' ? 'No configuration file was read' : `Read ${shown}`)
    }
    reportLintFailures(context, problems)
    return problems[0]?.outcome.exit ?? 0
  },
}

function showSettings(context: Context, settings: readonly ShownSetting[]): void {
  const { style } = context
  const rows = settings.flatMap((setting) => {
    const { key, value, origin, origins } = setting
    if (!origins || origins.length === 0)
      return [[key, formatSetting(setting), formatOrigin(origin)]]
    const roots = value as readonly string[]
    return origins.map((each, at) => [
      at === 0 ? key : '',
      toPrintable(roots[at] ?? ''),
      formatOrigin(each),
    ])
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, undefined, style.dim] }))
}

/** Prints one setting. */
async function showSetting(context: Context, call: CommandLine): Promise<number> {
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
