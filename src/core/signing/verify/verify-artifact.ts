import type { ContentEntry } from '../../skills/content/content-manifest.ts'
import type { SignedEnvelope } from '../envelope/dsse.ts'
import type { SigstoreVerifier } from '../sigstore/verify-sigstore.ts'
import type { Release } from '../statement/release.ts'
import type { StatementSubject } from '../statement/statement.ts'
import type { TestResult } from '../statement/test-result.ts'
import { parseSource } from '../trust/source.ts'
import type { TrustedSigner, TrustList } from '../trust/trust-list.ts'
import {
  checkSigner,
  findMissedThreshold,
  type CheckedSigner,
  type MissedThreshold,
  type SignerContext,
  type SignerState,
} from './check-signers.ts'
import { compareContent, type ContentChanges } from './compare-content.ts'
import { readStatements, type SignedRelease, type SignedStatements } from './read-statements.ts'

/** The files of a folder or of an archive, as they were found. */
export interface SignedArtifact {
  /** `<skill>@<version>`; undefined without a valid manifest. */
  name: string | undefined
  /** Digest of the files. */
  digest: string
  files: readonly ContentEntry[]
  /** Digest of the bytes of an archive, which statements of other tools name. */
  archiveDigest?: string | undefined
  /** Other digests of the same archive, or of the manifest of a registry that names it. */
  otherDigests?: readonly string[] | undefined
}

export interface VerificationRequest {
  artifact: SignedArtifact
  /** Undefined if there is no file of signatures. */
  envelopes: readonly SignedEnvelope[] | undefined
  /** Path of the signatures, for messages. */
  place: string
  trust: TrustList
  /** Origin of the artifact by the verifier's account. */
  source?: string | undefined
  /** `<skill>@<version>` that the verifier expects. */
  expected?: string | undefined
  /** Absent without a trusted root of sigstore: its bundles are skipped then. */
  sigstore?: SigstoreVerifier | undefined
  /** Milliseconds. */
  now: number
}

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
}

/** Verifies an artifact by its signatures and the user's trust list. Nothing of it is executed. */
export function verifyArtifact(request: VerificationRequest): Verification {
  const { artifact, envelopes, trust, place, sigstore } = request
  const nothing = { digest: artifact.digest, signers: [], subjects: [], tests: [] }
  if (envelopes === undefined || envelopes.length === 0) return { ...nothing, state: 'unsigned' }
  const statements = readStatements(envelopes, { signers: trust.keys, sigstore }, place)
  if (statements.releases.length === 0) return { ...nothing, state: 'untrusted' }
  const matching = statements.releases.filter((each) => isAbout(request, each))
  return matching.length > 0
    ? judgeMatching(request, matching, statements)
    : explainMismatch(request, statements.releases)
}

function isAbout({ artifact, expected }: VerificationRequest, release: SignedRelease): boolean {
  const { name, digest, archiveDigest, otherDigests = [] } = artifact
  const { predicate, subjects } = release
  const names = (...texts: readonly (string | undefined)[]) =>
    subjects.some((each) => texts.includes(each.digest))
  if (!predicate)
    return names(archiveDigest, ...otherDigests) && (expected === undefined || expected === name)
  return predicate.tree === digest && names(digest) && hasNames(release, [name, expected])
}

/** True if a statement is about all of these names; an undefined one is any. */
function hasNames({ subjects }: SignedRelease, names: readonly (string | undefined)[]): boolean {
  return names.every((name) => name === undefined || subjects.some((each) => each.name === name))
}

function judgeMatching(
  request: VerificationRequest,
  releases: readonly SignedRelease[],
  { tests }: SignedStatements,
): Verification {
  const { artifact, trust } = request
  const contexts = releases.map((each) => createSignerContext(request, each))
  const signers = mergeSigners(releases, contexts)
  const valid = signers.filter(({ state }) => state === 'valid').map(({ key }) => key)
  const sources = contexts.flatMap((context) => context.sources)
  const threshold = findMissedThreshold(trust, sources, valid)
  const isVerified = valid.length > 0 && !threshold
  const first = releases.find(({ predicate }) => predicate) ?? releases[0]
  return {
    state: isVerified ? 'verified' : valid.length > 0 ? 'threshold' : findRefusal(signers),
    digest: artifact.digest,
    signers,
    subjects: first?.subjects ?? [],
    release: first?.predicate,
    ...(valid.length > 0 && { threshold }),
    tests: tests.flatMap(({ subjects, predicate, signers: testers }) => {
      const counted = testers.filter(({ id }) => valid.some((key) => key.id === id))
      const isOwn = subjects.some(({ digest }) => digest === artifact.digest)
      return isOwn && counted.length > 0 ? [{ ...predicate, signers: counted }] : []
    }),
  }
}

function createSignerContext(
  { source, now }: VerificationRequest,
  { predicate }: SignedRelease,
): SignerContext {
  const found = source === undefined ? [] : [parseSource(source)]
  return { now, sources: [...found, ...(predicate?.source ? [predicate.source.repo] : [])] }
}

/** Each key once, valid if it is valid for one of the statements. */
function mergeSigners(
  releases: readonly SignedRelease[],
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
  releases: readonly SignedRelease[],
): Verification {
  const { artifact } = request
  const result = { digest: artifact.digest, tests: [] }
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
  const isSameSkill = (each: SignedRelease) => hasNames(each, [artifact.name, request.expected])
  const release = valid.find(isSameSkill) ?? valid[0]!
  const context = createSignerContext(request, release)
  const isChanged = isSameSkill(release)
  return {
    ...result,
    state: isChanged ? 'changed' : 'other',
    signers: release.signers.map((key) => checkSigner(key, context)),
    subjects: release.subjects,
    release: release.predicate,
    ...(isChanged &&
      release.predicate && {
        changes: compareContent(release.predicate.files, artifact.files),
      }),
  }
}
