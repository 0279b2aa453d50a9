import type { PolicyScope } from '../../policy/policy.ts'
import type { DescribePolicyResult } from './definition.ts'

type ScopeView = DescribePolicyResult['scopes'][number]

/** Names of limits in policy files. */
const LIMIT_NAMES: Readonly<Record<string, string>> = {
  timeoutMs: 'timeout',
  outputBytes: 'output',
  longerThanMs: 'longer_than',
}

/** Lists the lists, limits and effects of a file or a rule, each with its location. */
export function describeScope(scope: PolicyScope): ScopeView {
  const isRule = scope.when !== undefined
  return { name: scope.name, is_rule: isRule, place: scope.locate(), parts: listParts(scope) }
}

function listParts(scope: PolicyScope): ScopeView['parts'] {
  const parts: ScopeView['parts'][number][] = []
  for (const part of ['when', 'allow', 'deny', 'limits', 'require'] as const) {
    for (const [key, value] of Object.entries(scope[part] ?? {})) {
      const setting = LIMIT_NAMES[key] ?? key
      if (value !== undefined)
        parts.push({ part, setting, value, place: scope.locate(part, setting) })
    }
  }
  for (const part of ['refuse', 'approve'] as const) {
    const value = scope[part]
    if (value !== undefined && value !== false) {
      parts.push({ part, setting: null, value, place: scope.locate(part) })
    }
  }
  return parts
}
