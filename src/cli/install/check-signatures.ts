import { findMissedThreshold } from '../../core/signing/verify/check-signers.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { FetchedSkill } from '../../core/sources/fetched-skill.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import type { SkillSourcePlace } from '../../core/sources/source-place.ts'
import { formatTrustText } from '../../core/sources/trust-text.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { TrustList } from '../../core/signing/trust/trust-list.ts'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { openUserTrust } from '../signing/open-stores.ts'

interface SignatureRequest {
  skill: PreparedSkill
  fetched: FetchedSkill
  place: SkillSourcePlace
}

/** Names of the trusted keys that signed; refuses signatures that are wrong, or fewer than a rule demands. */
export function checkSignatures(
  context: Context,
  { skill, fetched, place }: SignatureRequest,
): string[] {
  const trust = openUserTrust(context).read()
  const source = findTrustSource(place, fetched.resolved)
  const { state, signers } = verifyArtifact({
    artifact: {
      name: `${skill.name}@${skill.version}`,
      digest: skill.tree,
      files: skill.files,
      archiveDigest: fetched.archiveDigest,
      otherDigests: fetched.otherDigests,
    },
    envelopes: fetched.envelopes,
    place: fetched.bundle,
    trust,
    source,
    now: Date.now(),
  })
  if (state === 'verified') {
    return signers.filter((each) => each.state === 'valid').map(({ key }) => key.name)
  }
  const missed = findMissedThreshold(trust, source === undefined ? [] : [source], [])
  if (missed)
    throw deniedInstallError(
      `a rule of the trust list demands ${missed.required} signatures for it`,
    )
  if (state === 'unsigned' || state === 'untrusted') return []
  throw deniedInstallError(`its signatures do not count (${state})`)
}

/** The reason for which an entry of the lock is not accepted any more, without its signatures. */
export function findLockedProblem(
  trust: TrustList,
  { signers, source, resolved }: LockedSkill,
  projectDir: string,
): string | undefined {
  const keys = trust.keys.filter(({ name }) => signers.includes(name))
  const revoked = keys.find((key) => key.revoked)
  const valid = keys.filter((key) => !key.revoked)
  if (revoked && valid.length === 0) return `its signer "${revoked.name}" is revoked`
  // An edited lock may have a place that no rule covers.
  const sources = [source, resolved].flatMap((text) => {
    const place = tryParseSource(text, projectDir)
    return (place && findTrustSource(place, resolved)) ?? []
  })
  const missed = findMissedThreshold(trust, sources, valid)
  return missed && `a rule of the trust list demands ${missed.required} signatures for it`
}

/** Undefined if the source is gone, which is no reason to refuse what is installed. */
function tryParseSource(source: string, projectDir: string): SkillSourcePlace | undefined {
  try {
    return parseSkillSource(source, projectDir)
  } catch {
    return undefined
  }
}

function findTrustSource(place: SkillSourcePlace, resolved: string): string | undefined {
  const text = formatTrustText(place, resolved)
  return text === undefined ? undefined : parseSource(text)
}

export function deniedInstallError(problem: string): SkillsError {
  return new SkillsError('policy/denied', `The skill is not installed: ${problem}`, {
    hint: 'Type "skills trust list" to see the trusted keys and rules',
  })
}
