import type { TrustedSigner, TrustList, TrustRule } from '../../core/signing/trust/trust-list.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

export function reportTrustedKey(context: Context, key: TrustedSigner): void {
  if (context.global.json) context.document('skills.trusted-key/v1', { key: toJsonTrustedKey(key) })
  else context.print(describeTrustedKey(key))
}

export function reportTrust(context: Context, { keys, rules }: TrustList): void {
  if (context.global.json) {
    context.document('skills.trust/v1', {
      keys: keys.map(toJsonTrustedKey),
      rules: rules.map(toJsonRule),
    })
    return
  }
  for (const key of keys) context.print(describeTrustedKey(key))
  for (const rule of rules) context.print(describeRule(rule))
  if (keys.length === 0) context.note('No keys are trusted; type "skills keys trust --help"')
}

function describeTrustedKey(key: TrustedSigner): string {
  const { name, id, sources, expires, revoked, isFirstUse } = key
  const facts = [
    `for ${sources.join(', ')}`,
    ...(isFirstUse ? ['accepted on first use, not compared'] : []),
    ...(expires === undefined ? [] : [`until ${expires}`]),
    ...(revoked ? [`revoked since ${revoked.since}: ${revoked.reason}`] : []),
  ]
  return toPrintable(`${name} ${id} ${facts.join('; ')}`)
}

export function describeRule({ source, threshold, keys }: TrustRule): string {
  const names = keys ? keys.join(', ') : 'all keys of these sources'
  return toPrintable(`rule ${source}: at least ${threshold} of ${names}`)
}

export function toJsonTrustedKey(key: TrustedSigner) {
  const { name, id, sources, expires, revoked, isFirstUse } = key
  return {
    name,
    id,
    sources,
    expires: expires ?? null,
    revoked: revoked ?? null,
    first_use: isFirstUse,
  }
}

export function toJsonRule({ source, threshold, keys }: TrustRule) {
  return { source, threshold, keys: keys ?? null }
}
