import { toPrintable } from '../../util/printable.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'
import { GET_COMMAND, showSetting } from '../config/get.ts'
import { SET_COMMAND } from '../config/set.ts'
import { readSettings, type ShownSetting } from '../config/read-settings.ts'
import { formatOrigin, formatSetting } from '../config/settings.ts'
import { UNSET_COMMAND } from '../config/unset.ts'
import type { Context } from '../context.ts'
import { reportLintFailures } from '../ui/lint-failures.ts'
import { formatTable } from '../ui/table.ts'

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
  subcommands: { get: GET_COMMAND, set: SET_COMMAND, unset: UNSET_COMMAND },
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
