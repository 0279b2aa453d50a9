import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandDefinition, CommandLine, ValueSource } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill } from '../find-skill.ts'

/** A value for the command line, with its description. */
interface CompletionCandidate {
  value: string
  description?: string | undefined
}

/** State of the command line that a shell completes. */
interface CompletionRequest {
  context: Context
  call: CommandLine
  /** The first argument: a skill or a setting. */
  first: string
}

/** Internal command for the scripts: candidates, each with a tab and its description. */
export const command: CommandDefinition = {
  summary: 'Print the values that complete a command line',
  arguments: [
    { syntax: '<source>', description: 'Kind of values, such as inputs or rules' },
    { syntax: '[first]', description: 'First argument of the command line' },
    { syntax: '[current]', description: 'Word that is completed' },
  ],
  async run(context, call) {
    const [source = '', first = '', current = ''] = call.args
    const list = Object.hasOwn(SOURCES, source) ? SOURCES[source as ValueSource] : undefined
    if (!list) {
      const known = Object.keys(SOURCES).join(', ')
      throw new SkillsError('usage/invalid', `Unknown source "${source}", expected one of ${known}`)
    }
    const prefix = source === 'rules' ? current.slice(0, current.lastIndexOf(',') + 1) : ''
    const candidates = (await list({ context, call, first }))
      // A shell reads one line for each candidate.
      .filter(({ value }) => toPrintable(value) === value && !/[\t\n]/.test(value))
      .map(({ value, description = '' }) => {
        const line = toPrintable(description.replaceAll(/\s+/g, ' ').trim())
        return { value: prefix + value, description: line }
      })
    if (context.global.json) context.document('skills.completion-values/v1', { candidates })
    else if (candidates.length > 0) {
      const lines = candidates.map(({ value, description }) =>
        description === '' ? value : `${value}\t${description}`,
      )
      context.print(lines.join('\n'))
    }
    return 0
  },
}

const SOURCES: Readonly<
  Record<ValueSource, (request: CompletionRequest) => Promise<readonly CompletionCandidate[]>>
> = {
  inputs: async (request) => {
    const { inputs } = (await describeFirst(request)).manifest
    return Object.entries(inputs).map(([name, { type, required, description }]) => {
      const kind = required ? `${type}, required` : type
      const text = description === undefined ? kind : `${kind}: ${description}`
      return { value: `${name}=`, description: text }
    })
  },
  'skill-files': async (request) => {
    const { files } = await describeFirst(request)
    return files.map(({ path }) => ({ value: path }))
  },
  secrets: async (request) => {
    const { name, permissions } = (await describeFirst(request)).manifest
    return permissions.secrets.map((value) => ({ value, description: `secret of ${name}` }))
  },
  rules: listRules,
  'rule-levels': async () =>
    (await listRules()).map((each) => ({ ...each, value: `${each.value}=` })),
  settings: async () => {
    const { CONFIG_KEYS } = await import('../../core/config/keys.ts')
    return CONFIG_KEYS.map(({ key, description }) => ({ value: key, description }))
  },
  'setting-values': async ({ first }) => {
    const { resolveSettingPath } = await import('../../core/config/edit/setting-path.ts')
    const { key, entry } = resolveSettingPath(first, 'skills config set')
    const { SEVERITIES } = await import('../../core/config/parse-value.ts')
    const levels = key.type === 'rules' && entry !== undefined ? SEVERITIES : []
    const choices = key.choices ?? (key.type === 'flag' ? ['true', 'false'] : levels)
    return choices.map((value) => ({
      value,
      description: value === String(key.default) ? 'default' : '',
    }))
  },
}

async function describeFirst({ context, call, first }: CompletionRequest) {
  const { skills } = await openHandle(context, call, { takesReferences: true })
  return await skills.describe(await findSkill(skills, first))
}

async function listRules(): Promise<readonly CompletionCandidate[]> {
  const { AREAS } = await import('../../core/lint/rule.ts')
  const { RULES } = await import('../../core/lint/rules/index.ts')
  const areas = AREAS.map((area) => ({ value: area, description: `all rules of ${area}` }))
  return [...areas, ...RULES.map(({ id, what }) => ({ value: id, description: what }))]
}
