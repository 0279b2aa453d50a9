import { randomUUID } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { formatByteLimit, spellDuration } from '../../util/quantity.ts'
import type { Config } from '../config/config.ts'
import { evaluatePermissions, type PermissionDecision } from '../policy/evaluate-permissions.ts'
import type { Limits } from '../sandbox/backend.ts'
import type { MaskedSecret } from '../sandbox/egress/masking/masked-secret.ts'
import type { Services } from '../services.ts'
import type { DependencyLookup, RunDependencies } from '../skills/dependencies/run-dependencies.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import { applyGrants } from '../skills/uploads/apply-grants.ts'
import { checkArguments, checkInputBlobs } from './checks/check-arguments.ts'
import { selectIsolation } from './checks/select-isolation.ts'
import { isFunctionJob, resolveTargetLanguage, type FunctionJob, type Job } from './job.ts'
import {
  planNetwork,
  planWatchedNetwork,
  PROGRAM_NETWORK,
  type NetworkPlan,
} from './network/plan-network.ts'
import { BASE_ENVIRONMENT } from './base-environment.ts'
import { maskSecrets, mergeSecretUses } from './network/masked-secrets.ts'
import { completeLimits } from './run-limits.ts'
import type { RunCall, RunGrants } from './run-call.ts'

/** Resolved permissions of a run. */
export interface Permissions {
  /** The skills of the job, with the permissions that the operator granted. */
  skills: readonly MountedSkill[]
  decision: PermissionDecision
  limits: Limits
  /** True if the configuration or the policy requires an address-space layout of its own. */
  ownMemoryLayout: boolean
  /** Variables of the granted secrets, by name: values, or stand-ins of the masked ones. */
  secrets: Readonly<Record<string, string>>
  /** Secrets whose values only the filter of the network knows. */
  masked: readonly MaskedSecret[]
  /** A skill of strangers that requires more isolation, as the beginning of a sentence. */
  stranger: string | undefined
  /** Undefined if the run has no network. */
  network: NetworkPlan | undefined
  environment: Readonly<Record<string, string>>
  /** First lines of the logs. */
  notes: readonly string[]
  /** Packages that its skills pinned. */
  dependencies: RunDependencies | undefined
}

/** Default home and temporary folder of a program. */
const HOME_VARIABLES = { HOME: '/workspace', TMPDIR: '/tmp' }

/** The longest session of a user at a terminal. */
const ATTENDED_MS = 7 * 86_400_000

/** By default, callers that share the runtime do not share an address-space layout. */
function hasOwnMemoryLayout(warm: Config['run']['warm'], { caller }: RunCall): boolean {
  return (warm ?? (caller?.sharesRuntime === true && 'aslr')) === 'aslr'
}

/** Resolves the permissions of a job. Throws `policy/denied` and `params/invalid`. */
export async function resolvePermissions(
  services: Services,
  job: Job,
  call: RunCall,
): Promise<Permissions> {
  if (isFunctionJob(job)) {
    checkInputBlobs(job.inputBlobs)
    await checkArguments(job.args)
  }
  const { run } = services.config
  const grantedMounts = await applyGrants(services, job.skills)
  const skills = grantedMounts.mounts
  const values = await readSecrets(services, skills, call)
  if (skills.some(({ manifest }) => manifest.requires)) {
    const { checkRequirements } = await import('./checks/check-requirements.ts')
    checkRequirements(run, skills, { env: call.env, secrets: new Set(values.keys()) })
  }
  const stranger = await services.findStranger(job.skills)
  const selected = selectIsolation(run, stranger)
  const backend = await services.sandboxes.openBackend(selected.backend, call.env)
  const { guarantees } = backend
  const uses = mergeSecretUses(skills.map(({ manifest }) => manifest.permissions))
  const decision = evaluatePermissions({
    kind: job.kind === 'run_code' ? 'run_code' : 'execute_skill',
    skills: skills.map(({ manifest }) => manifest),
    config: run,
    masked: new Set(uses.keys()),
    uploaded: grantedMounts.uploaded,
    configured: new Set(values.keys()),
    allowsNetwork: call.grants?.allowNetwork === true,
    canFilterNetwork: guarantees.filtersNetwork,
  })
  const programGrants = getProgramGrants(job)
  const network = [...new Set([...decision.network, ...programGrants.network])]
  const isWatched = call.grants?.watchesNetwork === true
  requireAllowed(decision, (network.length > 0 || isWatched) && !guarantees.filtersNetwork)
  const granted = decision.secrets.map((name) => [name, values.get(name) ?? ''] as const)
  const { variables, masked } = maskSecrets(new Map(granted), uses, describeScope(job))
  return {
    skills,
    decision: {
      ...decision,
      network,
      secrets: [...decision.secrets, ...Object.keys(programGrants.secrets)],
    },
    limits: narrowMemory(completeLimits(await limitRun(job, services, call)), call.grants),
    ownMemoryLayout: hasOwnMemoryLayout(run.warm, call),
    secrets: { ...variables, ...programGrants.secrets },
    masked,
    stranger,
    network:
      planNetwork(network, run.network.allowPrivate, selectListName(job)) ??
      (isWatched ? planWatchedNetwork() : undefined),
    environment: buildEnvironment(job, run.environment, call),
    notes: [...grantedMounts.reasons, ...decision.reasons, ...programGrants.notes],
    dependencies: await findDependencies(services, skills, { ...call, backend: backend.name }),
  }
}

function requireAllowed(decision: PermissionDecision, cannotFilter: boolean): void {
  if (decision.unmasked) throw unmaskedSecretError(decision)
  if (!decision.allowed || cannotFilter) throw networkNotEnforceableError(decision.reasons)
}

/** Commands of skills have the destinations of their manifests, other programs those of the policy. */
function selectListName(job: Job): string | undefined {
  return job.kind === 'execute' ? PROGRAM_NETWORK : undefined
}

/** Commands of a session share a sandbox and its filter, as do the cells of a kernel. */
function describeScope(job: Job): string {
  const kernel = 'kernel' in job ? job.kernel : undefined
  const shared = 'shared' in job ? job.shared : undefined
  if (kernel) return JSON.stringify([kernel.owner, kernel.id])
  return shared ? shared.session : randomUUID()
}

/** Returns the grants of a program besides those that its skills declare. */
function getProgramGrants(job: Job) {
  if ('prepare' in job) return { network: job.network ?? [], secrets: {}, notes: [] }
  const { network = [], secrets = {}, notes = [] } = 'program' in job ? job : {}
  return { network, secrets, notes }
}

/**
 * Reads the secrets that skills declare, by name. Values of the caller override those of the
 * operator.
 */
async function readSecrets(
  services: Pick<Services, 'secrets'>,
  skills: readonly MountedSkill[],
  call: RunCall,
): Promise<ReadonlyMap<string, string>> {
  const names = skills.flatMap(({ manifest }) => manifest.permissions.secrets)
  if (names.length === 0) return new Map()
  const configured = await (await services.secrets()).values(names, call.env)
  return new Map([...configured, ...(call.grants?.secrets ?? [])])
}

type SetLimits = Omit<Limits, 'openFiles' | 'inodes'> & Partial<Limits>

async function limitRun(job: Job, services: Services, call: RunCall): Promise<SetLimits> {
  const { run } = services.config
  if (isFunctionJob(job)) {
    const limits = limitKernel(run.limits, job)
    const isAttended = (call.interactive?.terminal ?? services.instruments?.inspect) !== undefined
    if (isAttended && job.timeoutMs === undefined)
      return { ...(await limitFunction(job, limits)), wallMs: ATTENDED_MS }
    const wallMs = checkTimeout(job.timeoutMs ?? run.timeoutMs, run.maxTimeoutMs, 'timeout_ms')
    return { ...(await limitFunction(job, limits)), wallMs }
  }
  if (!('program' in job)) return { ...run.limits, wallMs: run.timeoutMs }
  const limits = { ...run.limits, wallMs: run.timeoutMs, ...job.limits }
  if (job.isAttended === true) return { ...limits, wallMs: ATTENDED_MS }
  return { ...limits, wallMs: checkTimeout(limits.wallMs, run.maxTimeoutMs, 'timeout') }
}

/** A call can lower the memory limit of its runs, and never raise it. */
function narrowMemory(limits: Limits, { memoryBytes }: RunGrants = {}): Limits {
  if (memoryBytes === undefined) return limits
  if (memoryBytes <= limits.memoryBytes) return { ...limits, memoryBytes }
  const [most, got] = [limits.memoryBytes, memoryBytes].map(formatByteLimit)
  throw new SkillsError(
    'params/invalid',
    `Expected a memory limit of at most ${most}, got ${got}`,
    {
      hint: 'Set run.limits.memory in skills.config.toml to allow more',
      data: { param: 'memory' },
    },
  )
}

/** Processor time of each process of a kernel: that of a run would end an interpreter in use. */
const KERNEL_CPU_MS = 3_600_000

function limitKernel(
  limits: Config['run']['limits'],
  { kernel }: FunctionJob,
): Config['run']['limits'] {
  return kernel ? { ...limits, cpuMs: Math.max(limits.cpuMs, KERNEL_CPU_MS) } : limits
}

async function limitFunction(
  { target }: FunctionJob,
  limits: Config['run']['limits'],
): Promise<Config['run']['limits']> {
  const language = resolveTargetLanguage(target)
  if (language === 'python') return limits
  return (await import('./supervise/action-program.ts')).resolveActionLimits(language, limits)
}

function checkTimeout(timeoutMs: number, maxMs: number, param: string): number {
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= maxMs) return timeoutMs
  throw new SkillsError(
    'params/invalid',
    `Expected a timeout of 1 ms to ${spellDuration(maxMs)}, got ${spellDuration(timeoutMs)}`,
    { hint: 'Set run.max_timeout in skills.config.toml to allow more', data: { param } },
  )
}

/** Builds the environment: passed-through variables of the caller, and the defaults of programs. */
function buildEnvironment(
  job: Job,
  names: readonly string[],
  call: RunCall,
): Record<string, string> {
  const passed = listPassthroughNames(names, call).map((name) => [name, call.env[name] ?? ''])
  const base = isFunctionJob(job) ? {} : { ...BASE_ENVIRONMENT, ...HOME_VARIABLES }
  return {
    ...base,
    ...(Object.fromEntries(passed) as Record<string, string>),
    ...call.grants?.environment,
  }
}

/** Lists the caller's variables that the configuration passes through. A policy may deny them. */
export function listPassthroughNames(
  names: readonly string[],
  { env }: Pick<RunCall, 'env'>,
): string[] {
  return names.filter((name) => env[name] !== undefined)
}

/** Finds the packages that skills pinned; no search if none did. */
async function findDependencies(
  services: Services,
  skills: readonly MountedSkill[],
  lookup: DependencyLookup,
): Promise<RunDependencies | undefined> {
  if (skills.every(({ manifest }) => !manifest.dependencies)) return undefined
  const { resolveRunDependencies } = await import('../skills/dependencies/run-dependencies.ts')
  return await resolveRunDependencies(services, skills, lookup)
}

function networkNotEnforceableError(policyReasons: readonly string[]): SkillsError {
  const reasons =
    policyReasons.length > 0
      ? policyReasons
      : ['The backend cannot restrict a run to its destinations']
  return new SkillsError('policy/denied', reasons.join('; '), {
    hint: 'Leave out --backend, or run it without --allow-network',
    data: { reasons },
  })
}

function unmaskedSecretError({ reasons }: PermissionDecision): SkillsError {
  return new SkillsError('policy/denied', reasons.join('; '), {
    hint: 'Name the hosts that get it in skill.toml, as in [permissions.secrets] with NAME = "https://api.example.com"',
    data: { reasons },
  })
}
