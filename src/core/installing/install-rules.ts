import { SkillsError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import { NO_TRUSTED_ROOT, type CheckedAttestation } from '../signing/verify/check-attestation.ts'
import { findTrustSource, matchesSource, parseSourcePattern } from '../signing/trust/source.ts'
import type { SkillSourcePlace } from '../sources/source-place.ts'

type InstallRules = Pick<Config['install'], 'requireSignature' | 'sources'>

/** Refuses a source that one of the lists does not have. A folder or a file here matches only `*`. */
export function checkSourceRule(
  { sources }: InstallRules,
  place: SkillSourcePlace,
  resolved: string,
): void {
  if (sources.length === 0) return
  const source = findTrustSource(place, resolved)
  const refusing = sources.find(
    (patterns) => !patterns.some((each) => matchesSource(parsePattern(each), source)),
  )
  if (!refusing) return
  throw new SkillsError(
    'policy/denied',
    `The skill is not installed: ${source ?? 'a source on this machine'} is not allowed by install.sources`,
    {
      hint: `Allowed: ${refusing.join(', ') || 'no source'}. "skills config install.sources" names the files`,
    },
  )
}

function parsePattern(text: string): string {
  try {
    return parseSourcePattern(text)
  } catch (cause) {
    if (!(cause instanceof SkillsError)) throw cause
    throw new SkillsError('config/invalid', `install.sources: ${cause.message}`, {
      hint: cause.hint,
      cause,
    })
  }
}

/** Signers that count, and attestations of which some may not. */
interface FoundSignatures {
  signers: readonly string[]
  attestations: readonly CheckedAttestation[]
}

/** Refuses a skill without a valid signature of a trusted key or identity. */
export function checkSignatureRule(
  { requireSignature }: InstallRules,
  { signers, attestations }: FoundSignatures,
): void {
  if (!requireSignature || signers.length > 0) return
  throw new SkillsError(
    'policy/denied',
    'The skill is not installed: install.require_signature demands a signature of a trusted key',
    {
      hint:
        findUncheckedHint(attestations) ??
        'Trust its signer with "skills keys trust", or ask its author to sign it',
    },
  )
}

/** Names the option and the setting if attestations were not checked; undefined otherwise. */
export function findUncheckedHint(attestations: readonly CheckedAttestation[]): string | undefined {
  return attestations.some(({ problem }) => problem === NO_TRUSTED_ROOT)
    ? 'Its attestations were not checked: pass --trusted-root <file>, or set trust.sigstore_root'
    : undefined
}
