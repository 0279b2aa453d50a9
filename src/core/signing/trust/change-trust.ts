import { SkillsError } from '../../../errors.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import type { TrustedSigner, TrustList, TrustRule } from './trust-list.ts'

/** Adds a key, or gives a key of the list further sources and another date of expiry. */
export function addTrustedKey(list: TrustList, added: TrustedSigner): TrustList {
  const sameName = list.keys.find(({ name }) => name === added.name)
  const sameKey = list.keys.find(({ id }) => id === added.id)
  if (sameKey?.revoked) {
    const { name, revoked } = sameKey
    throw new SkillsError('key/unusable', `The key "${name}" is revoked: ${revoked.reason}`, {
      hint: 'Ask its owner for a new key',
    })
  }
  if (sameName !== sameKey) {
    const problem = sameName
      ? `The trust list has another key with the name "${added.name}"`
      : `The trust list has this key with the name "${sameKey?.name}"`
    throw new SkillsError('key/exists', problem, {
      hint: sameName
        ? 'Choose another name with --name; "skills keys list --trusted" prints those that are taken'
        : `Pass --name ${sameKey?.name} to give it further sources`,
    })
  }
  if (!sameKey) return { ...list, keys: [...list.keys, added] }
  const sources = [...new Set([...sameKey.sources, ...added.sources])]
  const merged = {
    ...sameKey,
    sources,
    expires: added.expires ?? sameKey.expires,
    // A comparison of the id confirms a key that was accepted without one.
    isFirstUse: sameKey.isFirstUse && added.isFirstUse,
  }
  return replaceKey(list, merged)
}

/** Marks a key as revoked. Signatures that it made earlier are not trusted either. */
export function revokeTrustedKey(
  list: TrustList,
  name: string,
  revoked: { since: string; reason: string },
): { list: TrustList; key: TrustedSigner } {
  const key = { ...findTrustedKey(list, name), revoked }
  return { list: replaceKey(list, key), key }
}

/** Removes a key that is not revoked: a removed key could be added again. */
export function removeTrustedKey(
  list: TrustList,
  name: string,
): { list: TrustList; key: TrustedSigner } {
  const key = findTrustedKey(list, name)
  if (key.revoked) {
    throw new SkillsError('key/unusable', `The key "${key.name}" is revoked, and stays listed`, {
      hint: 'A removed key could be added again; a revoked key never counts',
    })
  }
  const rule = list.rules.find(({ keys }) => keys?.includes(key.name))
  if (rule) {
    throw new SkillsError('usage/invalid', `The rule of "${rule.source}" names "${key.name}"`, {
      hint: `Type "skills keys rule '${rule.source}' --remove" first`,
    })
  }
  return { list: { ...list, keys: list.keys.filter(({ id }) => id !== key.id) }, key }
}

/** Sets the rule of a pattern, and replaces the one that it had. */
export function setTrustRule(list: TrustList, rule: TrustRule): TrustList {
  for (const name of rule.keys ?? []) findTrustedKey(list, name)
  const others = list.rules.filter(({ source }) => source !== rule.source)
  return { ...list, rules: [...others, rule] }
}

export function removeTrustRule(list: TrustList, source: string): TrustList {
  const rules = list.rules.filter((rule) => rule.source !== source)
  if (rules.length < list.rules.length) return { ...list, rules }
  throw new SkillsError('usage/invalid', `The trust list has no rule of "${source}"`, {
    hint: 'Type "skills keys list --trusted" to see its rules',
  })
}

/** Finds a key by its name or its id. */
function findTrustedKey({ keys }: TrustList, name: string): TrustedSigner {
  const key = keys.find((each) => each.name === name || each.id === name)
  if (key) return key
  const near = findNearest(
    name,
    keys.map((each) => each.name),
  )
  throw new SkillsError('key/not-found', `The trust list has no key "${name}"`, {
    hint: near === undefined ? 'Type "skills keys list --trusted"' : `Did you mean "${near}"?`,
  })
}

function replaceKey(list: TrustList, key: TrustedSigner): TrustList {
  return { ...list, keys: list.keys.map((each) => (each.id === key.id ? key : each)) }
}
