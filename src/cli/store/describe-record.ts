import type { RunRecord } from '../../core/runs/history/run-record.ts'
import { printable } from '../../util/printable.ts'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import { plural } from './plural.ts'
import { targetOf, tookOf } from './run-shown.ts'
import { seconds } from './seconds.ts'

/** A record in rows of a name and a text; the whole of it is in the JSON form. */
export function describeRecord(run: RunRecord): string[][] {
  const rows: [string, string | undefined][] = [
    ['what', targetOf(run)],
    ['who', `${run.who.caller} by ${run.who.door}`],
    ['started', `${seconds(run.started_at)}, took ${tookOf(run)}`],
    ['arguments', argumentsOf(run)],
    ['input blobs', run.request.input_blobs.join(', ') || undefined],
    ...run.skills.map(({ name, digest }): [string, string] => [
      'skill',
      `${name} ${digest ?? '-'}`,
    ]),
    ['policy', policyOf(run)],
    ['isolation', isolationOf(run)],
    ['limits', limitsOf(run)],
    ['network', networkOf(run)],
    ['exit', exitOf(run)],
    ['summary', run.summary ?? undefined],
    ['error', run.error ? `${run.error.type}: ${run.error.message}` : undefined],
    ['output', outputOf(run)],
    ...run.blobs.map(({ blob_id, kind, size_bytes }): [string, string] => [
      'blob',
      `${blob_id} (${kind}, ${formatBytes(size_bytes)})`,
    ]),
    ['logs', logsOf(run)],
  ]
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, printable(text)]]))
}

function argumentsOf({ request: { args, args_cut: cut } }: RunRecord): string {
  const names = cut.map(({ name, size_bytes }) => `${name} (${formatBytes(size_bytes)})`)
  const missing = names.length === 0 ? '' : `; not kept: ${names.join(', ')}`
  return `${JSON.stringify(args)}${missing}`
}

function policyOf({ policy }: RunRecord): string {
  const { allowed, reasons, network, secrets, decision, audit } = policy
  const { code, rules = [], approval } = decision ?? {}
  return [
    allowed ? 'allowed' : code === undefined ? 'refused' : `refused (${code})`,
    ...(rules.length > 0 ? [`rules: ${rules.join(', ')}`] : []),
    ...(approval ? [`approval: ${approval.answer}${approval.by ? ` by ${approval.by}` : ''}`] : []),
    ...(audit ? [`record ${audit.seq} of the audit log`] : []),
    ...reasons,
    ...(network.length > 0 ? [`network: ${network.join(', ')}`] : []),
    ...(secrets.length > 0 ? [`secrets: ${secrets.join(', ')}`] : []),
  ].join('; ')
}

function isolationOf({ isolation }: RunRecord): string {
  if (!isolation) return 'nothing was started'
  const { backend, tier, path, reason } = isolation
  return `${backend}, ${tier}, ${path} (${reason})`
}

function limitsOf({ limits }: RunRecord): string | undefined {
  if (!limits) return undefined
  return [
    `time ${formatDuration(limits.wallMs)}`,
    `memory ${formatBytes(limits.memoryBytes)}`,
    `processes ${limits.processes}`,
    `workspace ${formatBytes(limits.workspaceBytes)}`,
    `output ${formatBytes(limits.outputBytes)}`,
  ].join(', ')
}

function networkOf({ network }: RunRecord): string | undefined {
  if (!network || network.length === 0) return undefined
  const refused = network.filter(({ allowed }) => !allowed).length
  return `${plural(network.length, 'attempt')}, ${refused} refused`
}

function exitOf({ exit }: RunRecord): string | undefined {
  if (!exit) return undefined
  const how = exit.signal === null ? `status ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`
  return exit.ended_because === null ? how : `${how}, ended because of ${exit.ended_because}`
}

function outputOf({ output }: RunRecord): string | undefined {
  if (!output) return undefined
  return `${JSON.stringify(output.value)} (${formatBytes(output.size_bytes)})`
}

function logsOf({ logs: { size_bytes: size, kept_bytes: kept } }: RunRecord): string {
  return kept < size ? `${formatBytes(size)}, ${formatBytes(kept)} of it kept` : formatBytes(size)
}
