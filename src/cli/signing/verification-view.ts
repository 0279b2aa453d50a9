import { basename } from 'node:path'
import type { ChalkInstance } from 'chalk'
import type { CheckedSigner } from '../../core/signing/verify/check-signers.ts'
import type { SignatureSummary } from '../../core/signing/verify/summarize-signature.ts'
import type { Verification, VerificationState } from '../../core/signing/verify/verify-artifact.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatPlural } from '../../util/quantity.ts'
import { describeAttestations, toJsonAttestation } from './attestation-view.ts'
import type { FoundArtifact } from './read-artifact.ts'

const MAX_PATHS = 20

type ShownVerification = Verification & { signature: SignatureSummary }

/** Lines for people: the outcome, its reason, and what the signers state. */
export function describeVerification(
  style: ChalkInstance,
  artifact: FoundArtifact,
  verification: ShownVerification,
): string {
  const { state } = verification
  const name = artifact.name ?? basename(artifact.path)
  const paint = state === 'verified' ? style.green : style.red
  const lines = [
    EXPLANATIONS[state](artifact, verification),
    ...verification.signers.map(describeSigner),
    ...describeAttestations(verification.attestations),
    ...describeChanges(verification),
    ...(state === 'verified' ? describeStatements(verification) : []),
    ...(state === 'verified' && artifact.archive && !isArchiveSigned(artifact, verification)
      ? ['packed again: the files of the archive are signed, and its bytes are not']
      : []),
  ]
  const title = `${paint(state)} ${toPrintable(`${name} ${artifact.digest}`)}`
  return [title, ...lines.map((line) => `  ${toPrintable(line)}`)].join('\n')
}

const EXPLANATIONS: Readonly<
  Record<VerificationState, (artifact: FoundArtifact, verification: ShownVerification) => string>
> = {
  verified: () => 'All files are as signed',
  unsigned: ({ bundle }) =>
    `not signed: there are no signatures in "${bundle}"; ask its publisher for them, or pass --bundle <file>`,
  untrusted: (_, { signature }) => signature.text,
  changed: () => 'The files are not as signed',
  other: (_, { subjects }) =>
    `The signatures are for ${subjects.map(({ name }) => name).join(', ')}`,
  threshold: (_, { threshold }) =>
    threshold
      ? `${threshold.reached} of ${threshold.required} keys signed that ${threshold.source} requires`
      : 'Too few keys signed',
  source: (_, { release }) =>
    release?.source
      ? `The keys are not trusted for this source; the signers state ${release.source.repo}; see "skills keys trust --help"`
      : 'The keys are trusted for other sources only; pass --source if it is one of them',
  expired: () => 'The keys have expired',
  revoked: () => 'The keys are revoked: nothing that they signed is trusted, at any time',
}

const SIGNER_STATES: Readonly<Record<CheckedSigner['state'], string>> = {
  valid: 'trusted for',
  source: 'trusted only for',
  expired: 'expired; was trusted for',
  revoked: 'revoked; was trusted for',
}

function describeSigner({ key, state }: CheckedSigner): string {
  const facts = [
    ...(key.isFirstUse ? ['accepted on first use, not compared'] : []),
    ...(state === 'expired' ? [`expired ${key.expires}`] : []),
    ...(key.revoked ? [`revoked since ${key.revoked.since}: ${key.revoked.reason}`] : []),
  ]
  const end = facts.length === 0 ? '' : ` (${facts.join('; ')})`
  return `signed by ${key.name} ${key.id}, ${SIGNER_STATES[state]} ${key.sources.join(', ')}${end}`
}

function describeChanges({ changes }: Verification): string[] {
  if (!changes) return []
  const { changed, extra, missing } = changes
  return [
    ...listPaths('changed', changed),
    ...listPaths('extra', extra),
    ...listPaths('missing', missing),
  ]
}

function listPaths(kind: string, paths: readonly string[]): string[] {
  const more = paths.length - MAX_PATHS
  const shown = paths.slice(0, MAX_PATHS).map((path) => `${kind}: ${path}`)
  return more > 0 ? [...shown, `${kind}: ${more} more`] : shown
}

/** Statements of trusted signers, which are their claims. */
function describeStatements({ release, tests, vets }: Verification): string[] {
  const source = release?.source
  const commit = source?.commit === undefined ? '' : ` at ${source.commit}`
  return [
    ...(release ? [`signed ${release.signedAt}, by the clock of the signer`] : []),
    ...(source ? [`source ${source.repo}${commit}, by the account of the signer`] : []),
    ...tests.map(
      ({ result, passed, warned, failed, signers }) =>
        `tests ${result}: ${passed.length} passed, ${warned.length} flaky, ${failed.length} failed, ` +
        `by the account of ${signers.map(({ name }) => name).join(', ')}`,
    ),
    ...vets.map(
      ({ verdict, files, signers }) =>
        `vet ${verdict}: ${formatPlural(files, 'file')} read, ` +
        `by the account of ${signers.map(({ name }) => name).join(', ')}`,
    ),
  ]
}

/** False for an archive that was packed again: its files are signed, and its bytes are not. */
function isArchiveSigned({ archive }: FoundArtifact, { state, subjects }: Verification): boolean {
  return state === 'verified' && subjects.some(({ digest }) => digest === archive?.digest)
}

export function toJsonVerification(artifact: FoundArtifact, verification: Verification) {
  const { state, digest, signers, subjects, release, changes, threshold, tests } = verification
  return {
    state,
    name: artifact.name ?? null,
    digest,
    archive: artifact.archive
      ? { ...artifact.archive, signed: isArchiveSigned(artifact, verification) }
      : null,
    bundle: artifact.bundle,
    signers: signers.map(({ key, state: signerState }) => ({
      name: key.name,
      id: key.id,
      state: signerState,
      sources: key.sources,
      expires: key.expires ?? null,
      revoked: key.revoked ?? null,
      first_use: key.isFirstUse,
    })),
    subjects,
    release: release
      ? {
          signed_at: release.signedAt,
          source: release.source ?? null,
          capabilities: release.capabilities ?? null,
        }
      : null,
    attestations: verification.attestations.map(toJsonAttestation),
    changes: changes ?? null,
    threshold: threshold ?? null,
    tests: tests.map(({ result, passed, warned, failed, signers: testers }) => ({
      result,
      passed,
      warned,
      failed,
      signers: testers.map(({ name }) => name),
    })),
    vets: verification.vets.map(({ toolVersion, signers: vetters, ...vet }) => ({
      ...vet,
      tool: toolVersion,
      signers: vetters.map(({ name }) => name),
    })),
  }
}
