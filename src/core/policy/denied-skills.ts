import { evaluatePolicy } from './evaluate-policy.ts'
import type { Policy, PolicyScope } from './policy.ts'
import type { PolicyRequest, PolicyRunKind } from './policy-request.ts'

/** Kinds of runs that use a skill. */
const KINDS: readonly PolicyRunKind[] = ['execute_skill', 'workspace', 'run_code']

/** True if rules of the policy name skills. */
export function restrictsSkills({ scopes }: Policy): boolean {
  return scopes.some((scope) => scope.allow.skills ?? scope.deny.skills ?? refusesSkills(scope))
}

/**
 * True if the policy denies every use of a skill (`name@version`) to a caller because of the skill
 * itself. A policy that refuses all runs hides no skill: its text may still be read.
 */
export function isSkillDenied(
  policy: Policy,
  principal: Pick<PolicyRequest, 'door' | 'caller'>,
  skill: string,
): boolean {
  const rules = new Set(policy.scopes.filter(refusesSkills).map(({ name }) => name))
  const verdicts = KINDS.map((kind) => {
    const request = { kind, ...principal, skills: [skill], network: [], environment: [] }
    const { denials } = evaluatePolicy(request, policy)
    const isOwn = denials.some(
      ({ code, by }) =>
        code === 'skill-not-allowed' || (code === 'denied-by-rule' && rules.has(by ?? '')),
    )
    return { isOwn, isDenied: isOwn || denials.some(({ code }) => code === 'kind-not-allowed') }
  })
  return verdicts.every(({ isDenied }) => isDenied) && verdicts.some(({ isOwn }) => isOwn)
}

/** A policy whose rules apply to every caller and kind of run. */
export function widenRules(policy: Policy): Policy {
  const scopes = policy.scopes.map((scope) => ({
    ...scope,
    when: scope.when?.skills && { skills: scope.when.skills },
  }))
  return { ...policy, scopes }
}

function refusesSkills({ refuse, when }: PolicyScope): boolean {
  return refuse !== undefined && when?.skills !== undefined
}
