import { SkillsError } from '../../errors.ts'
import { formatDuration } from '../../util/quantity.ts'
import { holdToGrants } from '../skills/uploads/hold-to-grants.ts'
import { decide, type Decision } from '../policy/decide.ts'
import type { Services } from '../services.ts'
import type { Limits } from '../sandbox/backend.ts'
import { chooseBackend } from '../sandbox/backends.ts'
import { BASE_ENVIRONMENT } from './protocol/job.ts'
import { planNetwork, type NetworkPlan } from './plan-network.ts'
import { findDependencies, handedThrough, knownSecrets } from './plan-run.ts'
import type { ProgramPlan } from './program-plan.ts'
import type { RunCall } from './run-call.ts'

/** Where a program is at home unless its environment says otherwise. */
const HOME = { HOME: '/workspace', TMPDIR: '/tmp' }

/** Nobody sits at anything for longer. */
const LONGEST_MS = 7 * 86_400_000

/** All that was decided about a program. */
export interface DecidedProgram {
  plan: ProgramPlan
  decision: Decision
  limits: Limits
  secrets: Readonly<Record<string, string>>
  network: NetworkPlan | undefined
  environment: Readonly<Record<string, string>>
  notes: readonly string[]
}

/** Decides what a program may do. Throws `policy/denied` and `params/invalid`. */
export async function planProgram(
  services: Services,
  asked: ProgramPlan,
  call: RunCall,
): Promise<DecidedProgram> {
  const { run, secrets: operators, directories } = services.config
  const held = await holdToGrants(directories.data, asked.skills)
  const plan = await withDependencies(services, { ...asked, skills: held.mounts }, call)
  const values = await knownSecrets({ mounts: plan.skills }, call, operators.file)
  const { promises } = await chooseBackend(run.backend)
  const decision = decide({
    kind: 'execute_skill',
    skills: plan.skills.map(({ manifest }) => manifest),
    config: run,
    configured: new Set(values.keys()),
    allowsNetwork: call.allowNetwork === true,
    canFilterNetwork: promises.filtersNetwork,
  })
  const granted = [...new Set([...decision.network, ...(plan.network ?? [])])]
  const cannotFilter = granted.length > 0 && !promises.filtersNetwork
  if (!decision.allowed || cannotFilter) throw denied(decision.reasons)
  const ofSkills = decision.secrets.map((name) => [name, values.get(name) ?? ''] as const)
  return {
    plan,
    decision: { ...decision, network: granted },
    limits: plan.isAttended
      ? { ...run.limits, ...plan.limits, wallMs: LONGEST_MS }
      : limitsOf({ ...run.limits, wallMs: run.timeoutMs, ...plan.limits }, run.maxTimeoutMs),
    secrets: { ...Object.fromEntries(ofSkills), ...plan.secrets },
    network: planNetwork(granted, run.network.allowPrivate),
    environment: { ...BASE_ENVIRONMENT, ...HOME, ...handedThrough(run.environment, call.env) },
    notes: [...held.reasons, ...decision.reasons, ...(plan.notes ?? [])],
  }
}

/** Its command line finds the packages that its skills pinned. */
async function withDependencies(
  services: Services,
  plan: ProgramPlan,
  call: RunCall,
): Promise<ProgramPlan> {
  const found = await findDependencies(services, plan.skills, call)
  if (!found) return plan
  const { dependencyVariables } = await import('../skills/dependencies/for-run.ts')
  const { program, tools = [] } = plan
  return {
    ...plan,
    program: { ...program, env: dependencyVariables(found, program.env) },
    tools: [...tools, ...found.tools],
  }
}

function denied(known: readonly string[]): SkillsError {
  const reasons = known.length > 0 ? known : ['Nothing here can hold a run to its destinations']
  return new SkillsError('policy/denied', reasons.join('; '), {
    hint: 'Choose the backend bubblewrap, or run it without network',
    data: { reasons },
  })
}

function limitsOf(limits: Limits, maxMs: number): Limits {
  const { wallMs } = limits
  if (Number.isSafeInteger(wallMs) && wallMs > 0 && wallMs <= maxMs) return limits
  throw new SkillsError(
    'params/invalid',
    `Expected a timeout of 1ms to ${formatDuration(maxMs)}, got ${wallMs}ms`,
    {
      hint: 'Set run.max_timeout in skills.config.toml to allow more',
      data: { param: 'timeout' },
    },
  )
}
