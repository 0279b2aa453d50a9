import type { KeyType } from '../../core/config/keys.ts'
import type { LoadedConfig, Origin } from '../../core/config/load-config.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatByteLimit, formatDuration } from '../../util/quantity.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'
import { reportLintFailures } from '../ui/lint-failures.ts'
import { formatTable } from '../ui/table.ts'

export const command: CommandDefinition = {
  summary: 'Show the effective configuration and its origins',
  details: [
    'Show the effective configuration and its origins.',
    '',
    'Sources, from lowest to highest precedence:',
    '- defaults',
    '- skills.config.toml of the project',
    "- the user's configuration file",
    '- environment variables',
    '- flags',
    '',
    'Invalid settings are shown as well, with exit status 2.',
  ].join('\n'),
  arguments: [{ syntax: '[key]', description: 'Name of one setting, such as run.timeout' }],
  examples: [
    { command: 'skills config', explains: 'Show every setting and its origin' },
    { command: 'skills config run.timeout', explains: 'Print one value for a script' },
    { command: 'skills config --json', explains: 'Print the same as JSON' },
  ],
  async run(context, call) {
    const { problems, ...loaded } = await openConfigWithProblems(context)
    const settings = await listConfigSettings(loaded)
    const [key] = call.args
    if (key !== undefined) {
      const setting = await findSetting(settings, key)
      // A script must not get a default instead of a broken file's value.
      if (problems[0]) throw problems[0]
      return showSetting(context, setting)
    }
    if (context.global.json) {
      const reported = problems.map(({ code, message, hint, data }) => ({
        code,
        message,
        hint,
        data,
      }))
      context.document('skills.config/v1', { files: loaded.files, settings, problems: reported })
    } else {
      showSettings(context, settings)
      const files = loaded.files.map(toPrintable).join(', ')
      context.note(files === '' ? 'No configuration file was read' : `Read ${files}`)
    }
    reportLintFailures(context, problems)
    return problems[0]?.outcome.exit ?? 0
  },
}

interface ConfigSetting {
  key: string
  value: unknown
  /** Unit of a value that is a quantity. */
  unit?: 'bytes' | 'ms'
  origin: Origin
  origins?: readonly Origin[]
  description: string
}

async function listConfigSettings(loaded: LoadedConfig): Promise<readonly ConfigSetting[]> {
  const { CONFIG_KEYS } = await import('../../core/config/keys.ts')
  return CONFIG_KEYS.map(({ key, field, type, description }) => {
    const value = field.reduce<unknown>(
      (branch, step) => (branch as Record<string, unknown> | undefined)?.[step],
      loaded.config,
    )
    const builtIn: Origin = { layer: 'default', place: 'built in' }
    const origin = loaded.origins[key] ?? loaded.rootOrigins[0] ?? builtIn
    const unit = UNITS[type]
    const shown = { key, value: value ?? null, ...(unit && { unit }), origin, description }
    return key === 'roots' ? { ...shown, origins: loaded.rootOrigins } : shown
  })
}

const UNITS: Readonly<Partial<Record<KeyType, 'bytes' | 'ms'>>> = { bytes: 'bytes', duration: 'ms' }

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

function showSetting(context: Context, setting: ConfigSetting): number {
  if (context.global.json) context.document('skills.setting/v1', { setting })
  else context.print(formatSetting(setting))
  return 0
}

function showSettings(context: Context, settings: readonly ConfigSetting[]): void {
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

function formatOrigin({ layer, place: where }: Origin): string {
  return layer === 'default' ? toPrintable(where) : `${layer}: ${toPrintable(where)}`
}

/** Quantities have the notation of configuration files. */
function formatSetting({ value, unit }: ConfigSetting): string {
  if (typeof value !== 'number' || unit === undefined) return formatSettingValue(value)
  if (unit === 'bytes') return formatByteLimit(value)
  return formatDuration(value)
    .replace(/m$/, 'min')
    .replace(/(?=[a-z]+$)/, ' ')
}

function formatSettingValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return toPrintable(value.join(', ')) || '-'
  }
  return toPrintable(typeof value === 'string' ? value : JSON.stringify(value))
}
