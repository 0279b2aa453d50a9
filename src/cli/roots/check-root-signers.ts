import { parseSource } from '../../core/signing/trust/source.ts'
import { findMissedThreshold } from '../../core/signing/verify/check-signers.ts'
import { parseRemoteSource } from '../../core/sources/skill-source.ts'
import { formatTrustText } from '../../core/sources/trust-text.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { openUserTrust } from '../signing/open-stores.ts'

/** Refuses a root if a rule demands signatures for its source: a root as a whole has none. */
export function checkRootSigners(context: Context, resolved: string): void {
  const trust = openUserTrust(context).read()
  const place = parseRemoteSource(resolved)
  const text = place && formatTrustText(place, resolved)
  const missed = findMissedThreshold(trust, text === undefined ? [] : [parseSource(text)], [])
  if (!missed) return
  throw new SkillsError(
    'policy/denied',
    `The root is not fetched: a rule of the trust list demands ${missed.required} signatures for it`,
    { hint: 'Install its skills one by one with "skills install", which verifies signatures' },
  )
}
