import { REPOSITORY } from '../../core/programs/execution.ts'
import type { FunctionJob, PreparedJob } from '../../core/runs/job.ts'
import type { RunPlan } from '../../core/runs/plan-run.ts'
import type { RunGrants } from '../../core/runs/run-call.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatByteLimit, spellDuration } from '../../util/quantity.ts'
import { readRemoteTarget } from '../access/remote-options.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { formatTable } from '../ui/table.ts'
import { readRunSettings } from './options.ts'

/** Id that stands for a blob which a dry run does not store. */
export const UNSTORED_BLOB = `blob:${'0'.repeat(32)}`

/** Rejects options that need a run. */
export function checkDryRun(context: Context, call: CommandLine): void {
  if (!getFlagOption(call, 'dryRun')) return
  const flag = { watch: '--watch', repeat: '--repeat', out: '--out', keep: '--keep' }
  const used = Object.entries(flag).find(([name]) => call.options[name] !== undefined)
  const other = used?.[1] ?? readRemoteTarget(context, call)?.source
  if (other === undefined) return
  throw new SkillsError('usage/invalid', `--dry-run cannot be combined with ${other}`, {
    hint: 'Remove one of them: a dry run starts nothing, and plans runs of this machine',
  })
}

/** Shows what a run would see, reach and use; returns the exit code. */
export async function showDryRun(
  context: Context,
  call: CommandLine,
  plan: {
    createJob: (runtime: Runtime) => Promise<FunctionJob | PreparedJob>
    grants?: RunGrants
  },
): Promise<number> {
  const runtime = await openRuntime(context, readRunSettings(call))
  const { planRun } = await import('../../core/runs/plan-run.ts')
  const job = await plan.createJob(runtime)
  const { cwd, env, signal } = context
  const { grants } = plan
  const planned = await planRun(runtime, job, { cwd, env, signal, caller: { door: 'cli' }, grants })
  if (context.global.json) context.document('skills.run-plan/v1', toPlanRecord(planned))
  else showPlan(context, planned)
  return planned.isAllowed ? 0 : 1
}

function toPlanRecord(plan: RunPlan) {
  const { limits, policy } = plan
  return {
    allowed: plan.isAllowed,
    language: plan.language ?? null,
    files: listVisibleFiles(plan),
    hosts: plan.hosts,
    withheld_hosts: plan.withheldHosts,
    secrets: plan.secrets,
    missing_secrets: plan.missingSecrets,
    secret_hosts: plan.secretHosts,
    environment: plan.environment,
    limits: {
      timeout_ms: limits.wallMs,
      cpu_ms: limits.cpuMs,
      memory_bytes: limits.memoryBytes,
      processes: limits.processes,
      open_files: limits.openFiles,
      workspace_bytes: limits.workspaceBytes,
      inodes: limits.inodes,
      output_bytes: limits.outputBytes,
      network_bytes: limits.networkBytes,
    },
    backend: plan.backend,
    policy: { ...policy, needs_approval: policy.approval.length > 0 },
    input_problem: plan.inputProblem ?? null,
    notes: plan.notes,
  }
}

function listVisibleFiles({ skills, inputBlobs, repository }: RunPlan) {
  return [
    ...skills.map(({ name, version, dir }) => ({
      path: `/skills/${name}`,
      access: 'read-only',
      source: dir,
      skill: `${name}@${version}`,
    })),
    ...inputBlobs.map((id) => ({
      path: '/blobs',
      access: 'read-only',
      source: id === UNSTORED_BLOB ? 'a file of --blob' : id,
    })),
    ...(repository ? [{ path: REPOSITORY, access: repository.mode, source: repository.path }] : []),
    { path: '/workspace', access: 'read-write', source: 'an empty folder' },
  ]
}

function describeSecret(name: string, hosts: RunPlan['secretHosts']): string {
  const list = hosts[name]
  return list
    ? `${name} is sent only to ${list.join(', ')}`
    : `the value of ${name} is inside of the sandbox`
}

function showPlan(context: Context, plan: RunPlan): void {
  const { style } = context
  const { policy, backend } = plan
  const listOrNone = (list: readonly string[]) => list.join(', ') || 'none'
  const rows = [
    ...listVisibleFiles(plan).map(({ path, access, source }) => [
      'files',
      `${path}: ${source} (${access})`,
    ]),
    ['hosts', listOrNone(plan.hosts)],
    ...plan.withheldHosts.map((host) => ['', `not allowed: ${host} (add --allow-network)`]),
    ['secrets', listOrNone(plan.secrets)],
    ...plan.secrets.map((name) => ['', describeSecret(name, plan.secretHosts)]),
    ...plan.missingSecrets.map((name) => ['', `without a value: ${name}`]),
    ['variables', listOrNone(plan.environment)],
    ['limits', formatLimits(plan)],
    ['backend', `${backend.name}, ${backend.tier}`],
    ['policy', formatPolicy(policy)],
    ...(plan.inputProblem === undefined ? [] : [['inputs', plan.inputProblem]]),
  ]
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const shown = rows.map((row) => row.map(toPrintable))
  context.print(formatTable(shown, { columns, paint: [style.cyan] }))
  const verdict = plan.isAllowed ? style.green('would run') : style.red('would not run')
  context.print(
    policy.approval.length > 0 && plan.isAllowed ? `${verdict} after approval` : verdict,
  )
}

function formatLimits({ limits, hosts }: RunPlan): string {
  return [
    `time ${spellDuration(limits.wallMs)}`,
    `memory ${formatByteLimit(limits.memoryBytes)}`,
    `processes ${limits.processes}`,
    `workspace ${formatByteLimit(limits.workspaceBytes)}`,
    `output ${formatByteLimit(limits.outputBytes)}`,
    ...(hosts.length > 0 ? [`network ${formatByteLimit(limits.networkBytes)}`] : []),
  ].join(', ')
}

function formatPolicy({ rules, reasons, approval }: RunPlan['policy']): string {
  if (reasons.length > 0) return `denied: ${reasons.join('; ')}`
  const matching = rules.length === 0 ? 'no rule matches' : `rules ${rules.join(', ')}`
  return approval.length > 0
    ? `approval required by ${approval.join(', ')}`
    : `allowed, ${matching}`
}
