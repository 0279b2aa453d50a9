import { matchesSource } from '../trust/source.ts'
import type { TrustedSigner, TrustList, TrustRule } from '../trust/trust-list.ts'

/** Whether a known key counts. Only `valid` does. */
export type SignerState = 'valid' | 'revoked' | 'expired' | 'source'

export interface CheckedSigner {
  key: TrustedSigner
  state: SignerState
}

/** Circumstances of a check, which the signer does not control. */
export interface SignerContext {
  /**
   * Sources that all have to be covered: the claimed ones, and that of the download. Undefined is
   * one that only `*` covers.
   */
  sources: readonly (string | undefined)[]
  /** Milliseconds: the time of the verification. The time of a signature is only a claim. */
  now: number
}

/** Decides whether a key that made a signature counts. */
export function checkSigner(key: TrustedSigner, { sources, now }: SignerContext): CheckedSigner {
  if (key.revoked) return { key, state: 'revoked' }
  if (key.expires !== undefined && Date.parse(key.expires) <= now) return { key, state: 'expired' }
  const isCovered = (source: string | undefined) =>
    key.sources.some((pattern) => matchesSource(pattern, source))
  const covers = sources.length === 0 ? isCovered(undefined) : sources.every(isCovered)
  return { key, state: covers ? 'valid' : 'source' }
}

/** A rule whose number of keys is not reached. */
export interface MissedThreshold {
  reached: number
  required: number
  source: string
}

/** The first rule of these sources that the keys do not fulfil. */
export function findMissedThreshold(
  { rules }: Pick<TrustList, 'rules'>,
  sources: readonly (string | undefined)[],
  keys: readonly TrustedSigner[],
): MissedThreshold | undefined {
  for (const rule of rules) {
    if (!appliesTo(rule, sources)) continue
    const counted = keys.filter(({ name }) => rule.keys?.includes(name) ?? true)
    const reached = new Set(counted.map(({ id }) => id)).size
    if (reached < rule.threshold) {
      return { reached, required: rule.threshold, source: rule.source }
    }
  }
  return undefined
}

function appliesTo(rule: TrustRule, sources: readonly (string | undefined)[]): boolean {
  if (sources.length === 0) return matchesSource(rule.source, undefined)
  return sources.some((source) => matchesSource(rule.source, source))
}
