import { describeRunTarget } from '../../core/runs/history/describe-target.ts'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatRunDuration } from './run-text.ts'
import { formatToSeconds } from './format-to-seconds.ts'

/** A record as rows of name and text; the JSON form is complete. */
export function describeRecord(run: RunRecord): string[][] {
  const rows: [string, string | undefined][] = [
    ['target', describeRunTarget(run)],
    ['caller', `${run.who.caller} by ${run.who.door}`],
    ['started', `${formatToSeconds(run.started_at)}, took ${formatRunDuration(run)}`],
    ['arguments', describeArguments(run)],
    ['input blobs', run.request.input_blobs.join(', ') || undefined],
    ...run.skills.map(({ name, digest }): [string, string] => [
      'skill',
      `${name} ${digest ?? '-'}`,
    ]),
    ['policy', describePolicy(run)],
    ['isolation', describeIsolation(run)],
    ['limits', describeLimits(run)],
    ['network', describeNetwork(run)],
    ['exit', describeExit(run)],
    ['summary', run.summary ?? undefined],
    ['error', run.error ? `${run.error.type}: ${run.error.message}` : undefined],
    ['output', describeOutput(run)],
    ...run.blobs.map(({ blob_id, kind, size_bytes }): [string, string] => [
      'blob',
      `${blob_id} (${kind}, ${formatBytes(size_bytes)})`,
    ]),
    ['logs', describeLogs(run)],
  ]
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, toPrintable(text)]]))
}

function describeArguments({ request: { args, args_cut: cut } }: RunRecord): string {
  const names = cut.map(({ name, size_bytes }) => `${name} (${formatBytes(size_bytes)})`)
  const missing = names.length === 0 ? '' : `; not kept: ${names.join(', ')}`
  return `${JSON.stringify(args)}${missing}`
}

function describePolicy({ policy }: RunRecord): string {
  const { allowed, reasons, network, secrets, decision, audit } = policy
  const { code, rules = [], approval } = decision ?? {}
  return [
    allowed ? 'allowed' : code === undefined ? 'denied' : `denied (${code})`,
    ...(rules.length > 0 ? [`rules: ${rules.join(', ')}`] : []),
    ...(approval ? [`approval: ${approval.answer}${approval.by ? ` by ${approval.by}` : ''}`] : []),
    ...(audit ? [`record ${audit.seq} of the audit log`] : []),
    ...reasons,
    ...(network.length > 0 ? [`network: ${network.join(', ')}`] : []),
    ...(secrets.length > 0 ? [`secrets: ${secrets.join(', ')}`] : []),
  ].join('; ')
}

function describeIsolation({ isolation }: RunRecord): string {
  if (!isolation) return 'not started'
  const {
    backend,
    tier,
    path,
    reason,
    host_packages: hostPackages,
    memory_layout: layout,
  } = isolation
  const packages = hostPackages ? ', with the packages of this machine' : ''
  const memory = path === 'warm' ? `, ${layout} memory layout` : ''
  return `${backend}, ${tier}, ${path} (${reason})${memory}${packages}`
}

function describeLimits({ limits }: RunRecord): string | undefined {
  if (!limits) return undefined
  return [
    `time ${formatDuration(limits.wall_ms)}`,
    `memory ${formatBytes(limits.memory_bytes)}`,
    `processes ${limits.processes}`,
    `workspace ${formatBytes(limits.workspace_bytes)}`,
    `output ${formatBytes(limits.output_bytes)}`,
    `network ${formatBytes(limits.network_bytes)}`,
  ].join(', ')
}

function describeNetwork({ network, network_bytes: bytes }: RunRecord): string | undefined {
  if (!network || network.length === 0) return undefined
  const refused = network.filter(({ allowed }) => !allowed).length
  const transferred = bytes === undefined ? '' : `, ${formatBytes(bytes)} sent and received`
  return `${formatPlural(network.length, 'attempt')}, ${refused} denied${transferred}`
}

function describeExit({ exit }: RunRecord): string | undefined {
  if (!exit) return undefined
  const how = exit.signal === null ? `status ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`
  return exit.ended_because === null ? how : `${how}, ended because of ${exit.ended_because}`
}

function describeOutput({ output }: RunRecord): string | undefined {
  if (!output) return undefined
  return `${JSON.stringify(output.value)} (${formatBytes(output.size_bytes)})`
}

function describeLogs({ logs: { size_bytes: size, kept_bytes: keptBytes } }: RunRecord): string {
  return keptBytes < size
    ? `${formatBytes(size)}, ${formatBytes(keptBytes)} of it kept`
    : formatBytes(size)
}
