import type { DescribePolicyResult } from '../../core/methods/describe-policy/definition.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { readPolicyFlags } from './flags.ts'

/** `skills policy explain`: every setting and rule that affects runs, with its location. */
export async function explainPolicy(context: Context, call: CommandLine): Promise<number> {
  const handle = await openHandle(context, call, { settings: readPolicyFlags(context, call) })
  const policy = await handle.call('describe_policy', {})
  if (context.global.json) {
    context.document('skills.policy/v1', policy)
    return 0
  }
  const { settings, scopes, programs, repositories } = policy
  showPolicyTables(context, [
    ['Settings', settings.map(({ key, shown, place }) => [key, shown, place])],
    ['Policy', scopes.flatMap(formatScopeRows)],
    ['Network of programs', programs.map(formatProgramsRow)],
    ['Approval', formatApprovalRows(policy)],
    ['Repositories', repositories.map((each) => [each.name, describeRepository(each), each.place])],
  ])
  noteFiles(context, policy)
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

function noteFiles(context: Context, { files, looked_for }: DescribePolicyResult): void {
  for (const { path, trust } of files) {
    const label =
      trust === 'operator' ? 'the policy' : "the project's policy, which can only restrict"
    context.note(`Read ${toPrintable(path)}: ${label}`)
  }
  if (files.some(({ trust }) => trust === 'operator')) return
  context.note(`No policy at ${toPrintable(looked_for.operator ?? '')}: the policy denies nothing`)
}

function formatScopeRows({
  name,
  is_rule: isRule,
  parts,
}: DescribePolicyResult['scopes'][number]): string[][] {
  const title = isRule ? `${name}: ` : ''
  return parts.map(({ part, setting, value, place }) => {
    const label = setting === null ? part : `${part} ${setting}`
    return [`${title}${label}`, formatScopePart(setting, value), place]
  })
}

function formatScopePart(setting: string | null, value: unknown): string {
  if (setting === 'aslr') return value === true ? 'required' : 'not required'
  if (value === true) return 'approval is required'
  if (typeof value === 'string') return value
  if (setting === 'output') return formatBytes(value as number)
  if (typeof value === 'number') return formatDuration(value)
  return (value as readonly string[]).join(', ') || 'nothing'
}

function formatProgramsRow({
  name,
  network,
  when,
  place,
}: DescribePolicyResult['programs'][number]): string[] {
  const conditions = Object.entries(when).map(
    ([key, list]) => `${key} ${(list as unknown as readonly string[]).join(', ')}`,
  )
  const suffix = conditions.length === 0 ? '' : ` (${conditions.join('; ')})`
  return [name, `${network.join(', ')}${suffix}`, place]
}

/** The hook as the policy has it. */
type ApprovalView = { timeout_ms: number; place: string } & (
  | { kind: 'command'; command: readonly string[] }
  | { kind: 'webhook'; url: string }
)

function formatApprovalRows({ approval: view }: DescribePolicyResult): string[][] {
  if (view === null) return []
  const approval = view as unknown as ApprovalView
  const approver = approval.kind === 'command' ? approval.command.join(' ') : approval.url
  return [
    [approval.kind, approver, approval.place],
    ['timeout', formatDuration(approval.timeout_ms), approval.place],
  ]
}

function describeRepository({
  path,
  mode,
  problem,
}: DescribePolicyResult['repositories'][number]): string {
  return problem === null ? `${path} (${mode})` : `${path} (${mode}): ${problem}`
}
