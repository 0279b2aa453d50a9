import type { Release } from '../statement/release.ts'
import type { StatementSubject } from '../statement/statement.ts'
import type { TestResult } from '../statement/test-result.ts'
import type { VetResult } from '../statement/vet-result.ts'
import type { TrustedSigner } from '../trust/trust-list.ts'
import { checkAttestation, type CheckedAttestation } from './check-attestation.ts'
import {
  checkSigner,
  findMissedThreshold,
  type CheckedSigner,
  type MissedThreshold,
  type SignerContext,
  type SignerState,
} from './check-signers.ts'
import { compareContent, type ContentChanges } from './compare-content.ts'
import { createSignerContext, hasNames, isAbout, isAboutUnknown } from './match-statement.ts'
import { readStatements, type SignedStatement, type SignedStatements } from './read-statements.ts'
import type { VerificationRequest } from './verification-request.ts'

/** Outcome of a verification. `other`: the signatures are for another skill or version. */
export type VerificationState =
  | 'verified'
  | 'unsigned'
  | 'untrusted'
  | 'changed'
  | 'other'
  | 'threshold'
  | Exclude<SignerState, 'valid'>

export interface Verification {
  state: VerificationState
  digest: string
  /** Keys of the trust list that signed, and whether they count. */
  signers: readonly CheckedSigner[]
  /** The statement that the signers signed, for this artifact or for another. */
  release?: Release | undefined
  subjects: readonly StatementSubject[]
  changes?: ContentChanges | undefined
  threshold?: MissedThreshold | undefined
  /** Results of tests of this artifact, by valid signers. */
  tests: readonly (TestResult & { signers: readonly TrustedSigner[] })[]
  /** Verdicts about this artifact, by valid signers. */
  vets: readonly (VetResult & { signers: readonly TrustedSigner[] })[]
  /** Bundles of sigstore, trusted or not. */
  attestations: readonly CheckedAttestation[]
}

type StatementOutcome = Omit<Verification, 'attestations'>

/** Verifies an artifact by its signatures and the user's trust list. Nothing of it is executed. */
export function verifyArtifact(request: VerificationRequest): Verification {
  const { artifact, envelopes = [], trust, place, sigstore } = request
  const known = { signers: trust.keys, sigstore, archive: artifact.archiveBytes }
  const read = readStatements(envelopes, known, place)
  const attestations = read.bundles.map((bundle) => checkAttestation(request, bundle))
  return { ...judgeStatements(request, read), attestations }
}

function judgeStatements(request: VerificationRequest, read: SignedStatements): StatementOutcome {
  const { artifact, envelopes = [] } = request
  const nothing = { digest: artifact.digest, signers: [], subjects: [], tests: [], vets: [] }
  if (envelopes.length === 0) return { ...nothing, state: 'unsigned' }
  const vouching = read.statements.filter((each) => each.vouches && !isAboutUnknown(artifact, each))
  if (vouching.length === 0) return { ...nothing, state: 'untrusted' }
  const matching = vouching.filter((each) => isAbout(request, each))
  return matching.length > 0
    ? judgeMatching(request, matching, read)
    : explainMismatch(request, vouching)
}

function judgeMatching(
  request: VerificationRequest,
  releases: readonly SignedStatement[],
  { statements }: SignedStatements,
): StatementOutcome {
  const { artifact, trust } = request
  const contexts = releases.map((each) => createSignerContext(request, each))
  const signers = mergeSigners(releases, contexts)
  const valid = signers.filter(({ state }) => state === 'valid').map(({ key }) => key)
  const sources = contexts.flatMap((context) => context.sources)
  const threshold = findMissedThreshold(trust, sources, valid)
  const isVerified = valid.length > 0 && !threshold
  const first = releases.find(({ release }) => release) ?? releases[0]
  return {
    state: isVerified ? 'verified' : valid.length > 0 ? 'threshold' : findRefusal(signers),
    digest: artifact.digest,
    signers,
    subjects: first?.subjects ?? [],
    release: first?.release,
    ...(valid.length > 0 && { threshold }),
    ...listReported(artifact.digest, valid, statements),
  }
}

/** Statements of valid signers about the artifact. */
function listReported(
  artifact: string,
  valid: readonly TrustedSigner[],
  statements: readonly SignedStatement[],
): Pick<Verification, 'tests' | 'vets'> {
  const own = statements.flatMap(({ subjects, tests, vet, signers }) => {
    const counted = signers.filter(({ id }) => valid.some((key) => key.id === id))
    const isOwn = subjects.some(({ digest }) => digest === artifact)
    return isOwn && counted.length > 0 ? [{ tests, vet, signers: counted }] : []
  })
  return {
    tests: own.flatMap(({ tests, signers }) => (tests ? [{ ...tests, signers }] : [])),
    vets: own.flatMap(({ vet, signers }) => (vet ? [{ ...vet, signers }] : [])),
  }
}

/** Each key once, valid if it is valid for one of the statements. */
function mergeSigners(
  releases: readonly SignedStatement[],
  contexts: readonly SignerContext[],
): CheckedSigner[] {
  const merged = new Map<string, CheckedSigner>()
  for (const [at, { signers }] of releases.entries()) {
    for (const key of signers) {
      const checked = checkSigner(key, contexts[at] as SignerContext)
      if (merged.get(key.id)?.state !== 'valid') merged.set(key.id, checked)
    }
  }
  return [...merged.values()]
}

/** The most severe reason for which no signer counts. */
function findRefusal(signers: readonly CheckedSigner[]): Exclude<SignerState, 'valid'> {
  const states = new Set(signers.map(({ state }) => state))
  return states.has('revoked') ? 'revoked' : states.has('expired') ? 'expired' : 'source'
}

/** No statement is about this artifact: it changed, or the signatures are for something else. */
function explainMismatch(
  request: VerificationRequest,
  releases: readonly SignedStatement[],
): StatementOutcome {
  const { artifact } = request
  const result = { digest: artifact.digest, tests: [], vets: [] }
  const valid = releases.filter((each) =>
    each.signers.some(
      (key) => checkSigner(key, createSignerContext(request, each)).state === 'valid',
    ),
  )
  if (valid.length === 0) {
    const signers = mergeSigners(
      releases,
      releases.map((each) => createSignerContext(request, each)),
    )
    return { ...result, state: findRefusal(signers), signers, subjects: [] }
  }
  const isSameSkill = (each: SignedStatement) => hasNames(each, [artifact.name, request.expected])
  const release = valid.find(isSameSkill) ?? valid[0]!
  const context = createSignerContext(request, release)
  const isChanged = isSameSkill(release) && release.release !== undefined
  return {
    ...result,
    state: isChanged ? 'changed' : 'other',
    signers: release.signers.map((key) => checkSigner(key, context)),
    subjects: release.subjects,
    release: release.release,
    ...(isChanged &&
      release.release && {
        changes: compareContent(release.release.files, artifact.files),
      }),
  }
}
