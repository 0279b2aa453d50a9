import type { LoadedConfig } from '../../core/config/load-config.ts'
import type { Policy, PolicyScope, ProgramNetwork } from '../../core/policy/policy.ts'
import type { RepositoryRegistry } from '../../core/policy/repository-registry.ts'
import { createRuntime } from '../../core/runtime.ts'
import { toSkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { formatTable } from '../ui/table.ts'
import { readPolicyFlags } from './flags.ts'

/** Settings of the configuration that affect decisions. */
const POLICY_SETTINGS = [
  'runtime.enabled',
  'run.timeout',
  'run.max_timeout',
  'run.limits.output',
  'run.environment',
  'run.max_concurrent',
  'run.max_waiting',
  'audit.contents',
  'audit.max_file',
  'audit.ttl',
  'audit.quota',
]

/** `skills policy explain`: every setting and rule that affects runs, with its location. */
export async function explainPolicy(context: Context, call: CommandLine): Promise<number> {
  const loaded = await openConfig(context, readPolicyFlags(context, call))
  const runtime = createRuntime({ config: loaded.config })
  const policy = await runtime.policy()
  const settings = await listPolicySettings(loaded)
  const repositories = listRepositories(runtime.repositories, loaded)
  if (context.global.json) {
    const { files, scopes } = policy
    const { file, standardFile, projectFile } = loaded.config.policy
    context.document('skills.policy/v1', {
      files,
      looked_for: { operator: file ?? standardFile, project: projectFile ?? null },
      settings,
      scopes: scopes.map(toScopeRecord),
      programs: policy.programs.map(toProgramsRecord),
      approval: toApprovalRecord(policy),
      repositories,
    })
    return 0
  }
  showPolicyTables(context, [
    ['Settings', settings.map(({ key, shown, place }) => [key, shown, place])],
    ['Policy', policy.scopes.flatMap(formatScopeRows)],
    ['Network of programs', policy.programs.map(formatProgramsRow)],
    ['Approval', formatApprovalRows(policy)],
    ['Repositories', repositories.map((each) => [each.name, describeRepository(each), each.place])],
  ])
  noteFiles(context, policy, loaded)
  return 0
}

type TableRows = readonly (readonly string[])[]

function showPolicyTables(
  context: Context,
  parts: readonly (readonly [string, TableRows])[],
): void {
  const { style } = context
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const shown = parts.flatMap(([title, rows]) => {
    if (rows.length === 0) return []
    const cells = rows.map((row) => row.map(toPrintable))
    const paint = [style.cyan, undefined, style.dim]
    return [`${style.bold(title)}\n${formatTable(cells, { columns, paint })}`]
  })
  context.print(shown.join('\n\n'))
}

function noteFiles(context: Context, { files }: Policy, { config }: LoadedConfig): void {
  for (const { path, trust } of files) {
    const label =
      trust === 'operator' ? 'the policy' : "the project's policy, which can only restrict"
    context.note(`Read ${toPrintable(path)}: ${label}`)
  }
  if (files.some(({ trust }) => trust === 'operator')) return
  const place = config.policy.file ?? config.policy.standardFile ?? ''
  context.note(`No policy at ${toPrintable(place)}: the policy denies nothing`)
}

async function listPolicySettings({ config, origins }: LoadedConfig) {
  const { CONFIG_KEYS } = await import('../../core/config/keys.ts')
  return CONFIG_KEYS.filter(({ key }) => POLICY_SETTINGS.includes(key)).map(
    ({ key, field, type }) => {
      const value = field.reduce<unknown>(
        (branch, step) => (branch as Record<string, unknown> | undefined)?.[step],
        config,
      )
      const { layer, place } = origins[key] ?? { layer: 'default', place: 'built in' }
      const shown = formatPolicySetting(type, value)
      return { key, value: value ?? null, shown, layer, place }
    },
  )
}

function formatPolicySetting(type: string, value: unknown): string {
  if (value === undefined) return 'not set'
  if (type === 'duration') return formatDuration(value as number)
  if (type === 'bytes') return formatBytes(value as number)
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return JSON.stringify(value)
}

/** One list, limit or effect of a scope, with its location. */
interface ScopePart {
  part: string
  setting: string | null
  value: unknown
  place: string
}

function listScopeParts(scope: PolicyScope): ScopePart[] {
  const parts: ScopePart[] = []
  for (const part of ['when', 'allow', 'deny', 'limits', 'require'] as const) {
    for (const [key, value] of Object.entries(scope[part] ?? {})) {
      const setting = LIMIT_NAMES[key] ?? key
      if (value !== undefined)
        parts.push({ part, setting, value, place: scope.locate(part, setting) })
    }
  }
  for (const part of ['refuse', 'approve'] as const) {
    const value = scope[part]
    if (value !== undefined && value !== false) {
      parts.push({ part, setting: null, value, place: scope.locate(part) })
    }
  }
  return parts
}

function formatScopeRows(scope: PolicyScope): string[][] {
  const title = scope.when === undefined ? '' : `${scope.name}: `
  return listScopeParts(scope).map(({ part, setting, value, place }) => {
    const label = setting === null ? part : `${part} ${setting}`
    return [`${title}${label}`, formatScopePart(setting, value), place]
  })
}

const LIMIT_NAMES: Readonly<Record<string, string>> = {
  timeoutMs: 'timeout',
  outputBytes: 'output',
  longerThanMs: 'longer_than',
}

function formatScopePart(setting: string | null, value: unknown): string {
  if (setting === 'aslr') return value === true ? 'required' : 'not required'
  if (value === true) return 'approval is required'
  if (typeof value === 'string') return value
  if (setting === 'output') return formatBytes(value as number)
  if (typeof value === 'number') return formatDuration(value)
  return (value as readonly string[]).join(', ') || 'nothing'
}

/** JSON form of a scope. */
function toScopeRecord(scope: PolicyScope) {
  const isRule = scope.when !== undefined
  return { name: scope.name, is_rule: isRule, place: scope.locate(), parts: listScopeParts(scope) }
}

function toProgramsRecord({ name, network, when, locate }: ProgramNetwork) {
  return { name, network, when: listConditions(when), place: locate() }
}

function formatProgramsRow({ name, network, when, locate }: ProgramNetwork): string[] {
  const conditions = Object.entries(listConditions(when)).map(
    ([key, list]) => `${key} ${list.join(', ')}`,
  )
  const suffix = conditions.length === 0 ? '' : ` (${conditions.join('; ')})`
  return [name, `${network.join(', ')}${suffix}`, locate()]
}

function listConditions(when: ProgramNetwork['when']): Record<string, readonly string[]> {
  const lists = Object.entries(when).filter(([, list]) => Array.isArray(list))
  return Object.fromEntries(lists)
}

function toApprovalRecord({ approval }: Policy) {
  if (!approval) return null
  const { timeoutMs: timeout_ms, locate, ...how } = approval
  return { ...how, timeout_ms, place: locate() }
}

function formatApprovalRows({ approval }: Policy): string[][] {
  if (!approval) return []
  const approver = approval.kind === 'command' ? approval.command.join(' ') : approval.url
  return [
    [approval.kind, approver, approval.locate()],
    ['timeout', formatDuration(approval.timeoutMs), approval.locate()],
  ]
}

interface RepositoryView {
  name: string
  path: string
  mode: string
  place: string
  /** Reason why it cannot be used; null if it can. */
  problem: string | null
}

function listRepositories(
  repositories: RepositoryRegistry,
  { config }: LoadedConfig,
): RepositoryView[] {
  return repositories.names().flatMap((name): RepositoryView[] => {
    const setting = config.repositories[name]
    if (!setting) return []
    try {
      return [{ ...repositories.find(name), problem: null }]
    } catch (error) {
      return [{ name, ...setting, problem: toSkillsError(error).message }]
    }
  })
}

function describeRepository({ path, mode, problem }: RepositoryView): string {
  return problem === null ? `${path} (${mode})` : `${path} (${mode}): ${problem}`
}
