import { findMissedThreshold } from '../../core/signing/verify/check-signers.ts'
import { verifyArtifact } from '../../core/signing/verify/verify-artifact.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { FetchedSkill } from '../../core/sources/fetch-source.ts'
import type { SkillSourcePlace } from '../../core/sources/skill-source.ts'
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
  const source = findTrustSource(place)
  const { state, signers } = verifyArtifact({
    artifact: {
      name: `${skill.name}@${skill.version}`,
      digest: skill.tree,
      files: skill.files,
      archiveDigest: fetched.archiveDigest,
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

function findTrustSource(place: SkillSourcePlace): string | undefined {
  if (place.type !== 'url' || place.url.protocol !== 'https:') return undefined
  const url = new URL(place.url)
  url.search = ''
  return parseSource(url.href)
}

function deniedInstallError(problem: string): SkillsError {
  return new SkillsError('policy/denied', `The skill is not installed: ${problem}`, {
    hint: 'Type "skills trust list" to see the trusted keys and rules',
  })
}
