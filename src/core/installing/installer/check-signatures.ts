import { findUncheckedHint } from '../install-rules.ts'
import { findMissedThreshold, type MissedThreshold } from '../../signing/verify/check-signers.ts'
import { summarizeSignature } from '../../signing/verify/summarize-signature.ts'
import { verifyArtifact, type Verification } from '../../signing/verify/verify-artifact.ts'
import type { PreparedSkill } from '../prepare-skill.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { parseSkillSource } from '../../sources/skill-source.ts'
import type { SkillSourcePlace } from '../../sources/source-place.ts'
import { findTrustSource } from '../../signing/trust/source.ts'
import type { LockedSkill } from '../lock-file.ts'
import { isTrustedKey, type TrustList } from '../../signing/trust/trust-list.ts'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { SignatureCheck } from './candidate.ts'
import type { Installer } from './installer.ts'
import { openTrustedRoot } from '../../signing/sigstore/open-trusted-root.ts'

/** Keys, identities and roots of the user. */
export type SignatureVerifier = Pick<Installer, 'trust' | 'sigstoreRoots'>

interface SignatureRequest {
  skill: PreparedSkill
  fetched: FetchedSkill
  place: SkillSourcePlace
  /** True if the archive that the files came from is not here. */
  hasUnknownArchive?: boolean
}

/** Refuses signatures that are wrong, or fewer than a rule demands. */
export async function checkSignatures(
  verifier: SignatureVerifier,
  request: SignatureRequest,
): Promise<SignatureCheck> {
  const { refusal, ...check } = await inspectSignatures(verifier, request)
  if (refusal) throw refusal
  return check
}

/** The same, with the reason to refuse the skill. */
export async function inspectSignatures(
  { trust: store, sigstoreRoots }: SignatureVerifier,
  { skill, fetched, place, hasUnknownArchive }: SignatureRequest,
): Promise<SignatureCheck & { refusal: SkillsError | undefined }> {
  const trust = store.read()
  const source = findTrustSource(place, fetched.resolved)
  const verification = verifyArtifact({
    artifact: {
      name: `${skill.name}@${skill.version}`,
      digest: skill.tree,
      files: skill.files,
      archiveDigest: fetched.archiveDigest,
      otherDigests: fetched.otherDigests,
      packageUrl: fetched.packageUrl,
      archiveBytes: fetched.archiveBytes,
      hasUnknownArchive,
    },
    envelopes: fetched.envelopes,
    sigstore: await openTrustedRoot(sigstoreRoots, fetched.envelopes),
    place: fetched.bundle,
    trust,
    source,
    now: Date.now(),
  })
  const { state, signers, attestations } = verification
  const signature = summarizeSignature(verification, fetched.envelopes)
  if (state === 'verified') {
    const valid = signers.filter((each) => each.state === 'valid')
    const names = valid.map(({ key }) => key.name)
    return { signers: names, attestations, signature, refusal: undefined }
  }
  const missed = findMissedThreshold(trust, source === undefined ? [] : [source], [])
  const refusal = missed
    ? deniedInstallError(formatMissed(missed), findUncheckedHint(attestations))
    : isUnsigned(verification)
      ? undefined
      : deniedInstallError(`its signatures do not count (${state})`, findOtherHint(verification))
  return { signers: [], attestations, signature, refusal }
}

function formatMissed({ required }: MissedThreshold): string {
  return `a rule of the trust list demands ${required} signatures for it`
}

function findOtherHint({ state, subjects }: Verification): string | undefined {
  if (state !== 'other') return undefined
  const names = subjects.slice(0, 3).map(({ name }) => toPrintable(name))
  return `They are for ${names.join(', ')}: ask the publisher of the skill`
}

/** An identity that is trusted for other sources only is as a stranger is: it is shown. */
function isUnsigned({ state, signers }: Verification): boolean {
  if (state === 'unsigned' || state === 'untrusted') return true
  return state === 'source' && signers.every(({ key }) => !isTrustedKey(key))
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
  return missed && formatMissed(missed)
}

/** Undefined if the source is gone, which is no reason to refuse what is installed. */
export function tryParseSource(source: string, projectDir: string): SkillSourcePlace | undefined {
  try {
    return parseSkillSource(source, projectDir)
  } catch {
    return undefined
  }
}

export function deniedInstallError(problem: string, hint?: string): SkillsError {
  return new SkillsError('policy/denied', `The skill is not installed: ${problem}`, {
    hint: hint ?? 'Type "skills keys list --trusted" to see the trusted keys and rules',
  })
}
