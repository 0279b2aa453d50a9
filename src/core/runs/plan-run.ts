import { SkillsError } from '../../errors.ts'
import { formatDuration } from '../../util/quantity.ts'
import { holdToGrants } from '../skills/uploads/hold-to-grants.ts'
import type { Config } from '../config/config.ts'
import type { RunDependencies } from '../skills/dependencies/for-run.ts'
import { projectFolders } from '../languages/project-folders.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { SkillLanguageName } from '../skills/manifest/skill-languages.ts'
import { decide, type Decision } from '../policy/decide.ts'
import { chooseBackend } from '../sandbox/backends.ts'
import { newRunId } from './history/run-id.ts'
import type { Services } from '../services.ts'
import { checkArguments } from './check-arguments.ts'
import { planNetwork } from './plan-network.ts'
import type { RunCall } from './run-call.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import type { RunRequest, Target } from './run-request.ts'
import { languageOfTarget } from './target-language.ts'

/** What is to be run. */
export interface RunPlan {
  target: Target
  mounts: readonly MountedSkill[]
  args: PlainObject | undefined
  inputBlobs: readonly string[] | undefined
  timeoutMs: number | undefined
}

/** Decides what a run may do and puts together all that it needs. */
export async function planRun(
  services: Services,
  asked: RunPlan,
  call: RunCall,
): Promise<RunRequest> {
  const held = await holdToGrants(services.config.directories.data, asked.mounts)
  const plan = { ...asked, mounts: held.mounts }
  const { run, secrets } = services.config
  const values = await knownSecrets(plan, call, secrets.file)
  const { promises } = await chooseBackend(run.backend)
  const decision = decide({
    kind: plan.target.kind === 'skill' ? 'execute_skill' : 'run_code',
    skills: plan.mounts.map(({ manifest }) => manifest),
    config: run,
    configured: new Set(values.keys()),
    allowsNetwork: call.allowNetwork === true,
    canFilterNetwork: promises.filtersNetwork,
  })
  if (!decision.allowed) throw denied(decision)
  return {
    id: call.runId ?? newRunId(),
    decision,
    target: plan.target,
    mounts: plan.mounts,
    args: checkArguments(plan.args ?? {}),
    inputBlobs: [...new Set(plan.inputBlobs)],
    limits: {
      ...(await limitsFor(languageOfTarget(plan.target), run.limits)),
      wallMs: checkTimeout(plan.timeoutMs ?? run.timeoutMs, run.maxTimeoutMs),
    },
    maxBlobBytes: run.limits.blobBytes,
    secrets: Object.fromEntries(
      decision.secrets.map((name) => [name, values.get(name) ?? ''] as const),
    ),
    network: planNetwork(decision.network, run.network.allowPrivate),
    environment: handedThrough(run.environment, call.env),
    notes: [...held.reasons, ...decision.reasons],
    dependencies: await findDependencies(services, plan.mounts, call),
    python: run.python,
    backend: run.backend,
    container: run.container,
    strict: run.requireIsolation === 'strict',
    cacheDir: services.cacheDir,
    excluded: projectFolders(services.config),
    cwd: call.cwd,
    env: call.env,
    blobs: await services.blobs(),
    keepIn: call.keepIn,
    warm: services.warm,
    signal: call.signal,
    onEvent: call.onEvent,
  }
}

async function limitsFor(
  language: SkillLanguageName,
  limits: Config['run']['limits'],
): Promise<Config['run']['limits']> {
  if (language === 'python') return limits
  return (await import('./action-program.ts')).actionLimits(language, limits)
}

/** The packages that skills pinned; nothing is looked for where none did. */
export async function findDependencies(
  services: Services,
  skills: readonly MountedSkill[],
  call: RunCall,
): Promise<RunDependencies | undefined> {
  if (skills.every(({ manifest }) => !manifest.dependencies)) return undefined
  const { dependenciesForRun } = await import('../skills/dependencies/for-run.ts')
  return await dependenciesForRun(services, skills, call)
}

function denied({ reasons }: Decision): SkillsError {
  return new SkillsError('policy/denied', reasons.join('; '), {
    hint: 'Choose the backend bubblewrap, or run it without --allow-network',
    data: { reasons },
  })
}

function checkTimeout(timeoutMs: number, maxMs: number): number {
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= maxMs) return timeoutMs
  throw new SkillsError(
    'params/invalid',
    `Expected a timeout of 1ms to ${formatDuration(maxMs)}, got ${timeoutMs}ms`,
    {
      hint: 'Set run.max_timeout in skills.config.toml to allow more',
      data: { param: 'timeout_ms' },
    },
  )
}

/** The caller's values before those of the operator's file. */
export async function knownSecrets(
  { mounts }: Pick<RunPlan, 'mounts'>,
  call: RunCall,
  file: string | undefined,
): Promise<Map<string, string>> {
  if (mounts.every(({ manifest }) => manifest.permissions.secrets.length === 0)) return new Map()
  const { readSecretsFile } = await import('./redaction/secrets.ts')
  const configured = file === undefined ? new Map<string, string>() : readSecretsFile(file)
  return new Map([...configured, ...(call.secrets ?? [])])
}

/** Variables of the caller that the operator hands through. */
export function handedThrough(
  names: readonly string[],
  env: RunCall['env'],
): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
