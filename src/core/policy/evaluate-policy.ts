import { hash } from 'node:crypto'
import { toDecimalDigits } from '../../util/text/decimal-digits.ts'
import { spellDuration } from '../../util/quantity.ts'
import { checkLists, formatScope, RequestValues } from './check-lists.ts'
import type { Policy, PolicyScope } from './policy.ts'
import type { PolicyRequest } from './policy-request.ts'
import { checkProgramNetwork } from './program-network.ts'
import { selectScopes } from './select-scopes.ts'
import { LAYERS, type Denial, type PolicyVerdict, type VerdictLimits } from './verdict.ts'

/** Evaluates a policy for one request. Pure: the same arguments give the same verdict. */
export function evaluatePolicy(request: PolicyRequest, policy: Policy): PolicyVerdict {
  const timeoutMs = request.timeoutMs ?? resolveDefaultTimeout(policy)
  const values = new RequestValues({ ...request, timeoutMs })
  const scopes = selectScopes(policy.scopes, values)
  const limits = resolveLimits(request, policy, scopes)
  const denials = [
    ...checkEnabled(request, policy),
    ...checkEnvironment(request, policy),
    ...scopes.flatMap((scope) => [...checkLists(scope, values), ...checkRefusal(scope)]),
    ...checkProgramNetwork(request, policy),
    ...checkTime(request, policy, scopes),
    ...checkFacts(request),
  ].sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer))
  const rules = scopes.filter(({ when }) => when !== undefined).map(({ name }) => name)
  const approval = scopes.filter(({ approve }) => approve).map(({ name }) => name)
  const requiresAslr = scopes.some(({ require }) => require.aslr === true)
  const verdict = {
    allowed: denials.length === 0,
    denials,
    rules,
    approval,
    limits,
    ...(requiresAslr && ({ aslr: true } as const)),
  }
  return { ...verdict, auditHash: computeAuditHash({ request, verdict, files: policy.files }) }
}

/** Timeout of a request without one, before any rule applies. */
function resolveDefaultTimeout({ timeoutMs, maxTimeoutMs, scopes }: Policy): number {
  let least = Math.min(timeoutMs, maxTimeoutMs)
  for (const { when, limits } of scopes) {
    if (when === undefined) least = Math.min(least, limits.timeoutMs ?? Infinity)
  }
  return least
}

/**
 * SHA-256 over a decision and its inputs. It starts with decimal digits, so that a prefix can serve
 * as a short id.
 */
export function computeAuditHash(facts: object): string {
  const hex = hash('sha256', JSON.stringify(facts))
  return `${toDecimalDigits(hex)}${hex.slice(16)}`
}

function checkEnabled({ kind }: PolicyRequest, { enabled }: Policy): Denial[] {
  if (enabled || kind !== 'execute') return []
  const sentence = 'Running programs is disabled by the configuration: runtime.enabled is false'
  return [{ code: 'runtime-disabled', layer: 'config', sentence, by: 'runtime.enabled' }]
}

/** The configuration lists the variables that callers may request at all. */
function checkEnvironment({ environment }: PolicyRequest, policy: Policy): Denial[] {
  const names = environment.filter((name) => !policy.environment.includes(name))
  if (names.length === 0) return []
  const sentence = `Environment variables are not in run.environment: ${names.join(', ')}`
  return [{ code: 'env-keys-not-allowed', layer: 'environment', sentence, by: 'run.environment' }]
}

function checkRefusal({ refuse, name }: PolicyScope): Denial[] {
  if (refuse === undefined) return []
  return [{ code: 'denied-by-rule', layer: 'policy', sentence: refuse, by: name }]
}

function checkTime(
  { timeoutMs }: PolicyRequest,
  { maxTimeoutMs }: Policy,
  scopes: readonly PolicyScope[],
): Denial[] {
  if (timeoutMs === undefined) return []
  const denial = (max: number, of: string): string | undefined => {
    const [requested, maximum] = [spellDuration(timeoutMs), spellDuration(max)]
    return timeoutMs > max
      ? `The timeout of ${requested} exceeds the maximum of ${maximum} of ${of}`
      : undefined
  }
  const code = 'timeout-exceeded'
  const denials = scopes.flatMap((scope): Denial[] => {
    const sentence = denial(scope.limits.timeoutMs ?? Infinity, formatScope(scope))
    return sentence === undefined ? [] : [{ code, layer: 'policy', sentence, by: scope.name }]
  })
  const sentence = denial(maxTimeoutMs, 'run.max_timeout')
  if (sentence === undefined) return denials
  return [...denials, { code, layer: 'timeout', sentence, by: 'run.max_timeout' }]
}

/** Denials for facts that were resolved beforehand. */
function checkFacts({ executable, cwd }: PolicyRequest): Denial[] {
  const denials: Denial[] = []
  if (executable && 'problem' in executable) {
    const { problem: code, sentence } = executable
    denials.push({ code, layer: 'executable', sentence })
  }
  if (cwd && 'problem' in cwd) {
    denials.push({ code: cwd.problem, layer: 'cwd', sentence: cwd.sentence })
  }
  return denials
}

function resolveLimits(
  { timeoutMs }: PolicyRequest,
  policy: Policy,
  scopes: readonly PolicyScope[],
): VerdictLimits {
  const least = (own: number, of: readonly (number | undefined)[]) =>
    Math.min(own, ...of.map((each) => each ?? Infinity))
  return {
    timeoutMs: least(timeoutMs ?? policy.timeoutMs, [
      policy.maxTimeoutMs,
      ...scopes.map(({ limits }) => limits.timeoutMs),
    ]),
    outputBytes: least(
      policy.outputBytes,
      scopes.map(({ limits }) => limits.outputBytes),
    ),
  }
}
