import type { LoadedConfig } from '../../core/config/load-config.ts'
import type { Policy, PolicyScope } from '../../core/policy/policy.ts'
import type { Repositories } from '../../core/policy/repositories.ts'
import { createRuntime } from '../../core/runtime.ts'
import { toSkillsError } from '../../errors.ts'
import { printable } from '../../util/printable.ts'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { table } from '../ui/table.ts'
import { policyFlags } from './policy-flags.ts'

/** The settings of the configuration that decide as well. */
const SETTINGS = [
  'runtime.enabled',
  'run.timeout',
  'run.max_timeout',
  'run.limits.output',
  'run.environment',
  'run.max_concurrent',
  'run.max_waiting',
  'audit.contents',
  'audit.max_file',
]

/** `skills policy explain`: all that decides about runs, and where each of it stands. */
export async function explain(context: Context, call: Call): Promise<number> {
  const loaded = await openConfig(context, policyFlags(context, call))
  const runtime = createRuntime({ config: loaded.config })
  const policy = await runtime.policy()
  const settings = await settingsOf(loaded)
  const repositories = repositoriesOf(runtime.repositories, loaded)
  if (context.global.json) {
    const { files, scopes, approval } = policy
    const { file, standardFile, projectFile } = loaded.config.policy
    context.document('skills.policy/v1', {
      files,
      looked_for: { operator: file ?? standardFile, project: projectFile ?? null },
      settings,
      scopes: scopes.map(shownScope),
      approval: approval ?? null,
      repositories,
    })
    return 0
  }
  show(context, [
    ['Settings', settings.map(({ key, shown, place }) => [key, shown, place])],
    ['Policy', policy.scopes.flatMap(scopeRows)],
    ['Approval', approvalRows(policy)],
    ['Repositories', repositories.map((each) => [each.name, inWords(each), each.place])],
  ])
  noteFiles(context, policy, loaded)
  return 0
}

type Rows = readonly (readonly string[])[]

function show(context: Context, parts: readonly (readonly [string, Rows])[]): void {
  const { style } = context
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const shown = parts.flatMap(([title, rows]) => {
    if (rows.length === 0) return []
    const cells = rows.map((row) => row.map(printable))
    const paint = [style.cyan, undefined, style.dim]
    return [`${style.bold(title)}\n${table(cells, { columns, paint })}`]
  })
  context.print(shown.join('\n\n'))
}

function noteFiles(context: Context, { files }: Policy, { config }: LoadedConfig): void {
  for (const { path, trust } of files) {
    const what = trust === 'operator' ? 'the policy' : "the project's policy, which only takes away"
    context.note(`Read ${printable(path)}: ${what}`)
  }
  if (files.some(({ trust }) => trust === 'operator')) return
  const place = config.policy.file ?? config.policy.standardFile ?? ''
  context.note(`There is no policy at ${printable(place)}: nothing is refused by it`)
}

async function settingsOf({ config, origins }: LoadedConfig) {
  const { CONFIG_KEYS } = await import('../../core/config/keys.ts')
  return CONFIG_KEYS.filter(({ key }) => SETTINGS.includes(key)).map(({ key, field, type }) => {
    const value = field.reduce<unknown>(
      (branch, step) => (branch as Record<string, unknown> | undefined)?.[step],
      config,
    )
    const { layer, place } = origins[key] ?? { layer: 'default', place: 'built in' }
    const shown = settingInWords(type, value)
    return { key, value: value ?? null, shown, layer, place }
  })
}

function settingInWords(type: string, value: unknown): string {
  if (value === undefined) return 'not set'
  if (type === 'duration') return formatDuration(value as number)
  if (type === 'bytes') return formatBytes(value as number)
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return JSON.stringify(value)
}

/** One line a list, limit or effect. */
function scopeRows(scope: PolicyScope): string[][] {
  const { name, place, when, refuse, approve } = shownScope(scope)
  const title = when === undefined ? '' : `${name}: `
  const rows: string[][] = []
  for (const part of ['when', 'allow', 'deny', 'limits'] as const) {
    for (const [key, value] of Object.entries(scope[part] ?? {})) {
      if (value !== undefined)
        rows.push([`${title}${part} ${nameOf(key)}`, words(key, value), place])
    }
  }
  if (refuse !== undefined) rows.push([`${title}refuse`, refuse, place])
  if (approve) rows.push([`${title}approve`, 'somebody has to agree', place])
  return rows
}

const NAMES: Readonly<Record<string, string>> = {
  timeoutMs: 'timeout',
  outputBytes: 'output',
  longerThanMs: 'longer_than',
}

function nameOf(key: string): string {
  return NAMES[key] ?? key
}

function words(key: string, value: unknown): string {
  if (key === 'outputBytes') return formatBytes(value as number)
  if (typeof value === 'number') return formatDuration(value)
  return (value as readonly string[]).join(', ') || 'nothing'
}

function shownScope({ name, place, when, allow, deny, limits, refuse, approve }: PolicyScope) {
  return { name, place, when, allow, deny, limits, refuse, approve }
}

function approvalRows({ approval }: Policy): string[][] {
  if (!approval) return []
  const whom = approval.kind === 'command' ? approval.command.join(' ') : approval.url
  return [
    [approval.kind, whom, approval.place],
    ['timeout', formatDuration(approval.timeoutMs), approval.place],
  ]
}

interface ShownRepository {
  name: string
  path: string
  mode: string
  place: string
  /** Why it cannot be used; null where it can. */
  problem: string | null
}

function repositoriesOf(repositories: Repositories, { config }: LoadedConfig): ShownRepository[] {
  return repositories.names().flatMap((name): ShownRepository[] => {
    const setting = config.repositories[name]
    if (!setting) return []
    try {
      return [{ ...repositories.find(name), problem: null }]
    } catch (error) {
      return [{ name, ...setting, problem: toSkillsError(error).message }]
    }
  })
}

function inWords({ path, mode, problem }: ShownRepository): string {
  return problem === null ? `${path} (${mode})` : `${path} (${mode}): ${problem}`
}
