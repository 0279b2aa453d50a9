import type { Policy } from '../policy/policy.ts'
import { filterRepository } from '../skills/repository/filter-repository.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'
import type { Services } from '../services.ts'
import { resolvePrincipal } from '../runs/describe-request.ts'
import type { RunCall } from '../runs/run-call.ts'

/** Callers whose view of a policy is kept. */
const MAX_VIEWS = 1000
const VIEWS = new WeakMap<Policy, Map<string, { of: Repository; view: Repository }>>()

/**
 * Returns services that hide the skills that the policy denies to a caller, or with `every caller`
 * those that it denies to any.
 */
export async function hideDeniedSkills<Own extends Pick<Services, 'policy' | 'repository'>>(
  services: Own,
  call: Pick<RunCall, 'caller'> | 'every caller' | undefined,
): Promise<Own> {
  const policy = await services.policy()
  // Without files there are no rules.
  if (policy.scopes.length === 0) return services
  const { restrictsSkills, isSkillDenied, widenRules } = await import('../policy/denied-skills.ts')
  if (!restrictsSkills(policy)) return services
  const isShared = call === 'every caller'
  const principal = resolvePrincipal(isShared ? undefined : call?.caller)
  const applied = isShared ? widenRules(policy) : policy
  const views = VIEWS.get(policy) ?? new Map<string, { of: Repository; view: Repository }>()
  VIEWS.set(policy, views)
  const key = JSON.stringify([isShared, principal])
  const known = views.get(key)
  if (known?.of === services.repository) return { ...services, repository: known.view }
  const denied = new Map<string, boolean>()
  const isVisible = ({ name, version }: SkillEntry) => {
    const skill = `${name}@${version}`
    const isDenied = denied.get(skill) ?? isSkillDenied(applied, principal, skill)
    denied.set(skill, isDenied)
    return !isDenied
  }
  const view = filterRepository(services.repository, isVisible)
  if (views.size >= MAX_VIEWS) views.clear()
  views.set(key, { of: services.repository, view })
  return { ...services, repository: view }
}
