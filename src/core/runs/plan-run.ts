import { runInSlices } from '../../util/slices/run-in-slices.ts'
import { evaluatePolicy } from '../policy/evaluate-policy.ts'
import type { Backend, Limits } from '../sandbox/backend.ts'
import type { Services } from '../services.ts'
import { describePolicyRequest } from './describe-request.ts'
import { isFunctionJob, resolvePolicyLanguage, type FunctionJob, type PreparedJob } from './job.ts'
import { mergeSecretUses } from './network/masked-secrets.ts'
import { resolvePermissions } from './resolve-permissions.ts'
import type { RunCall } from './run-call.ts'
import { selectIsolation } from './checks/select-isolation.ts'
import { checkInputs } from './supervise/check-inputs.ts'

/** Decision about a run, and everything that it would get. Nothing was started or recorded. */
export interface RunPlan {
  /** True if the policy and the inputs allow the run; an approval may still be required. */
  isAllowed: boolean
  language: string | undefined
  skills: readonly { name: string; version: string; dir: string }[]
  inputBlobs: readonly string[]
  /** The registered repository of a program. */
  repository: { path: string; mode: string } | undefined
  /** Destinations that the run may reach. */
  hosts: readonly string[]
  /** Declared destinations that it may not reach. */
  withheldHosts: readonly string[]
  /** Names only. */
  secrets: readonly string[]
  missingSecrets: readonly string[]
  /** The only hosts that get the values of masked secrets, by name. */
  secretHosts: Readonly<Record<string, readonly string[]>>
  /** Names of passed-through variables. */
  environment: readonly string[]
  limits: Limits
  backend: { name: Backend['name']; tier: string }
  policy: { rules: readonly string[]; reasons: readonly string[]; approval: readonly string[] }
  /** Problem of the arguments; undefined if they are valid. */
  inputProblem: string | undefined
  notes: readonly string[]
}

/** Resolves permissions and the policy like a run of the job, without any effect. */
export async function planRun(
  services: Services,
  job: FunctionJob | PreparedJob,
  call: RunCall,
): Promise<RunPlan> {
  const { config, sandboxes } = services
  const permissions = await resolvePermissions(services, job, call)
  const { network: hosts, secrets } = permissions.decision
  const planned = { ...job, skills: permissions.skills }
  const facts = describePolicyRequest({ job: planned, call }, hosts, config.run.environment)
  const verdict = evaluatePolicy(facts, await services.policy())
  const { backend } = selectIsolation(config.run, permissions.stranger)
  const { name, guarantees } = await sandboxes.openBackend(backend)
  const inputProblem = isFunctionJob(job) ? await findInputProblem(job) : undefined
  const declared = permissions.skills.map(({ manifest }) => manifest.permissions)
  const uses = mergeSecretUses(declared)
  const { timeoutMs, outputBytes } = verdict.limits
  const { limits } = permissions
  return {
    isAllowed: verdict.allowed && inputProblem === undefined,
    language: resolvePolicyLanguage(job),
    skills: permissions.skills.map(({ manifest, dir }) => ({
      name: manifest.name,
      version: manifest.version,
      dir,
    })),
    inputBlobs: 'inputBlobs' in job ? job.inputBlobs : [],
    repository: isFunctionJob(job) ? undefined : config.repositories[job.repo ?? ''],
    hosts,
    withheldHosts: subtract(
      declared.flatMap((each) => each.network),
      hosts,
    ),
    secrets,
    secretHosts: Object.fromEntries(
      permissions.masked.map((each) => [each.name, uses.get(each.name)?.hosts ?? []]),
    ),
    missingSecrets: subtract(
      declared.flatMap((each) => each.secrets),
      secrets,
    ),
    environment: facts.environment,
    limits: {
      ...limits,
      wallMs: Math.min(limits.wallMs, timeoutMs),
      outputBytes: Math.min(limits.outputBytes, outputBytes),
    },
    backend: { name, tier: guarantees.tier },
    policy: {
      rules: verdict.rules,
      reasons: verdict.denials.map(({ sentence }) => sentence),
      approval: verdict.approval,
    },
    inputProblem,
    notes: permissions.notes,
  }
}

async function findInputProblem(job: FunctionJob): Promise<string | undefined> {
  const { target, args = {}, inputBlobs } = job
  if (target.kind !== 'skill') return undefined
  const checked = await runInSlices(checkInputs(target.skill.manifest, args, inputBlobs))
  return checked.problem?.message
}

function subtract(all: readonly string[], some: readonly string[]): string[] {
  return [...new Set(all)].filter((each) => !some.includes(each))
}
