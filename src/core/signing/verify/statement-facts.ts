import type { SignedEnvelope } from '../envelope/dsse.ts'
import type { RefuseJson } from '../envelope/strict-json.ts'
import { digestBytes } from '../statement/digest-bytes.ts'
import { parseProvenance, type Provenance } from '../statement/provenance.ts'
import { parseRelease, RELEASE_TYPE, type Release } from '../statement/release.ts'
import { parseStatement, type StatementSubject } from '../statement/statement.ts'
import { parseVetResult, VET_RESULT_TYPE, type VetResult } from '../statement/vet-result.ts'
import { parseTestResult, TEST_RESULT_TYPE, type TestResult } from '../statement/test-result.ts'
import type { CertificateIdentity } from '../trust/identity.ts'
import { findRepositorySource } from '../trust/source.ts'

/** A parsed statement. */
export interface StatementFacts {
  /** Type of the predicate; undefined for a signature over the bytes of an archive. */
  type: string | undefined
  subjects: readonly StatementSubject[]
  release: Release | undefined
  tests: TestResult | undefined
  vet: VetResult | undefined
  provenance: Provenance | undefined
  /** True if the statement vouches for its subjects; others, such as lists of parts, only describe them. */
  vouches: boolean
  /**
   * Origins by the statement and by the certificate, which the signer has to be trusted for.
   * Undefined is an origin that no pattern but `*` covers.
   */
  sources: readonly (string | undefined)[]
}

/** Types of other tools that vouch for an archive or for the manifest of a registry. */
const VOUCHING_TYPES = [
  'https://slsa.dev/provenance/v1',
  'https://slsa.dev/provenance/v0.2',
  'https://github.com/npm/attestation/tree/main/specs/publish/v0.1',
  'https://sigstore.dev/cosign/sign/v1',
]

/** Parses a statement whose signature is valid. */
export function readStatement(
  { payload }: SignedEnvelope,
  refuse: RefuseJson,
  certificate?: CertificateIdentity,
): StatementFacts {
  const { subjects, predicateType: type, predicate } = parseStatement(payload, refuse)
  const release = type === RELEASE_TYPE ? parseRelease(predicate) : undefined
  const provenance = parseProvenance(type, predicate)
  return {
    type,
    subjects,
    release,
    provenance,
    tests: type === TEST_RESULT_TYPE ? parseTestResult(predicate) : undefined,
    vet: type === VET_RESULT_TYPE ? parseVetResult(predicate) : undefined,
    vouches: release !== undefined || VOUCHING_TYPES.includes(type),
    sources: [
      ...(release?.source ? [release.source.repo] : []),
      ...listRepositories(certificate?.repository, provenance?.repository),
    ],
  }
}

/** The subject of a signature without a statement is the archive that was verified. */
export function describeArchiveSignature(
  archive: Uint8Array,
  certificate: CertificateIdentity | undefined,
): StatementFacts {
  return {
    type: undefined,
    subjects: [{ name: 'archive', digest: digestBytes(archive) }],
    release: undefined,
    tests: undefined,
    vet: undefined,
    provenance: undefined,
    vouches: true,
    sources: listRepositories(certificate?.repository),
  }
}

/** The workflow writes the provenance, and its issuer the certificate: both have to agree. */
export function findContradiction(
  { provenance }: StatementFacts,
  certificate: CertificateIdentity | undefined,
): string | undefined {
  const [stated, certified] = [provenance?.repository, certificate?.repository]
  if (stated === undefined || certified === undefined) return undefined
  const normalize = (address: string) => findRepositorySource(address) ?? address
  if (normalize(stated) === normalize(certified)) return undefined
  return `its provenance names the repository "${stated}", and its certificate "${certified}"`
}

function listRepositories(...addresses: readonly (string | undefined)[]) {
  const named = addresses.filter((each) => each !== undefined)
  return [...new Set(named.map(findRepositorySource))]
}
