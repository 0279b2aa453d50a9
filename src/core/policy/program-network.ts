import { createValue, RequestValues } from './check-lists.ts'
import { matchesDenyList, matchesList, type ListKey } from './match.ts'
import type { Policy, PolicyLists, PolicyMatch } from './policy.ts'
import type { PolicyRequest } from './policy-request.ts'
import { selectScopes } from './select-scopes.ts'
import type { Denial } from './verdict.ts'

/**
 * Returns the destinations that the operator opens for a program, without those that a list of the
 * operator or of the project excludes. Pure, as the whole evaluation.
 */
export function openProgramNetwork(request: PolicyRequest, policy: Policy): readonly string[] {
  const opened = listOpened(request, policy)
  if (opened.length === 0) return []
  const scopes = selectScopes(policy.scopes, new RequestValues({ ...request, network: opened }))
  return opened.filter((entry) =>
    scopes.every(({ allow, deny }) => {
      const value = createValue(entry)
      const isAllowed = !allow.network || matchesList('network', allow.network, value)
      return isAllowed && !(deny.network && matchesDenyList('network', deny.network, value))
    }),
  )
}

/** Denies destinations of a program that no table of `[[programs]]` opens, or opens any more. */
export function checkProgramNetwork(request: PolicyRequest, policy: Policy): Denial[] {
  if (request.kind !== 'execute' || request.network.length === 0) return []
  const opened = new Set(listOpened(request, policy))
  return request.network
    .filter((entry) => !opened.has(entry))
    .map((entry) => ({
      code: 'network-not-allowed',
      layer: 'policy',
      sentence: `No [[programs]] of the operator's policy opens "${entry}" for this program`,
    }))
}

function listOpened(request: PolicyRequest, { programs }: Policy): readonly string[] {
  const values = new RequestValues(request)
  const matching = programs.filter(({ when }) => matchesEvery(when, values))
  return [...new Set(matching.flatMap(({ network }) => network))]
}

/** Opening is narrow: each condition needs a value of the request, and every value must match. */
function matchesEvery(when: PolicyMatch, values: RequestValues): boolean {
  return Object.entries(when).every(([key, list]: [string, unknown]) => {
    if (!Array.isArray(list)) return true
    const requested =
      key === 'doors' ? [createValue(values.request.door)] : values.get(key as keyof PolicyLists)
    return (
      requested.length > 0 && requested.every((each) => matchesList(key as ListKey, list, each))
    )
  })
}
