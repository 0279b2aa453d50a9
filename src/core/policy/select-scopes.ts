import { matchesRequest, type RequestValues } from './check-lists.ts'
import { getLiteralPrefix, listForms } from './match.ts'
import type { PolicyLists, PolicyScope } from './policy.ts'
import { PrefixIndex } from './prefix-index.ts'

/** Positions of the scopes of a policy, so that a call reads only the rules that may match it. */
interface ScopeIndex {
  /** Scopes that every request is compared with. */
  always: readonly number[]
  /** Rules by one of their conditions: its list, then the beginning of its values. */
  byList: ReadonlyMap<keyof PolicyLists, PrefixIndex<number>>
}

const SCOPE_INDEXES = new WeakMap<readonly PolicyScope[], ScopeIndex>()

/** Lists by which rules are indexed, the most selective first. */
const INDEXED_KEYS = [
  'tokens',
  'skills',
  'repositories',
  'executables',
  'cwd',
  'environment',
  'languages',
  'kinds',
] as const

/** Returns the scopes that match a request, in the order of the policy. */
export function selectScopes(
  scopes: readonly PolicyScope[],
  values: RequestValues,
): readonly PolicyScope[] {
  let index = SCOPE_INDEXES.get(scopes)
  if (!index) {
    index = buildIndex(scopes)
    SCOPE_INDEXES.set(scopes, index)
  }
  const positions = new Set(index.always)
  for (const [key, byPrefix] of index.byList) {
    for (const value of values.names(key)) {
      for (const form of listForms(key, value)) {
        byPrefix.some(form, (position) => {
          positions.add(position)
          return false
        })
      }
    }
  }
  return [...positions]
    .sort((a, b) => a - b)
    .map((position) => scopes[position] as PolicyScope)
    .filter((scope) => matchesRequest(scope, values))
}

function buildIndex(scopes: readonly PolicyScope[]): ScopeIndex {
  const always: number[] = []
  const byList = new Map<keyof PolicyLists, PrefixIndex<number>>()
  for (const [position, { when }] of scopes.entries()) {
    const key = INDEXED_KEYS.find((each) => isSelective(when?.[each]))
    if (key === undefined) {
      always.push(position)
      continue
    }
    const index = byList.get(key) ?? new PrefixIndex<number>()
    byList.set(key, index)
    for (const pattern of when?.[key] ?? []) index.add(getLiteralPrefix(key, pattern), position)
  }
  return { always, byList }
}

/** True for a list that a request matches only with a value that begins like one of its patterns. */
function isSelective(list: readonly string[] | undefined): boolean {
  return list !== undefined && list.every((pattern) => !pattern.startsWith('!'))
}
