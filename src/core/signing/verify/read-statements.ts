import { malformedBundleError } from '../envelope/bundle-file.ts'
import { findSigners, type SignedEnvelope } from '../envelope/dsse.ts'
import { parseRelease, RELEASE_TYPE, type Release } from '../statement/release.ts'
import { parseStatement, STATEMENT_PAYLOAD, type StatementSubject } from '../statement/statement.ts'
import { parseTestResult, TEST_RESULT_TYPE, type TestResult } from '../statement/test-result.ts'
import type { SigstoreVerifier } from '../sigstore/verify-sigstore.ts'
import { findIdentities } from '../trust/identity.ts'
import { isTrustedKey, type TrustedSigner } from '../trust/trust-list.ts'

/** A statement with a valid signature of at least one key of the trust list. */
interface SignedStatement<Predicate> {
  subjects: readonly StatementSubject[]
  predicate: Predicate
  signers: readonly TrustedSigner[]
}

/** A release, or the provenance of an archive, which has no predicate here. */
export type SignedRelease = SignedStatement<Release | undefined>

export interface SignedStatements {
  releases: SignedRelease[]
  tests: SignedStatement<TestResult>[]
}

/** Predicates of other tools that state how an archive was built. */
const PROVENANCE_TYPES = ['https://slsa.dev/provenance/v1', 'https://slsa.dev/provenance/v0.2']

/** Signers that may be known, and the verifier of their certificates. */
interface KnownSigners {
  signers: readonly TrustedSigner[]
  sigstore: SigstoreVerifier | undefined
}

/**
 * Reads the statements of known signers. A payload is parsed only after one of its signatures is
 * valid; the others are skipped.
 */
export function readStatements(
  envelopes: readonly SignedEnvelope[],
  known: KnownSigners,
  place: string,
): SignedStatements {
  const found: SignedStatements = { releases: [], tests: [] }
  for (const [at, envelope] of envelopes.entries()) {
    const refuse = (problem: string) => malformedBundleError(place, `line ${at + 1}: ${problem}`)
    if (envelope.payloadType !== STATEMENT_PAYLOAD) {
      const type = JSON.stringify(envelope.payloadType)
      throw refuse(`its payload type is ${type}, expected "${STATEMENT_PAYLOAD}"`)
    }
    const signers = findKnownSigners(envelope, known)
    if (signers.length === 0) continue
    const { subjects, predicateType, predicate } = parseStatement(envelope.payload, refuse)
    const common = { subjects, signers }
    if (predicateType === RELEASE_TYPE) {
      found.releases.push({ ...common, predicate: parseRelease(predicate) })
    } else if (predicateType === TEST_RESULT_TYPE) {
      found.tests.push({ ...common, predicate: parseTestResult(predicate) })
    } else if (PROVENANCE_TYPES.includes(predicateType)) {
      found.releases.push({ ...common, predicate: undefined })
    }
  }
  return found
}

/** Keys that made a signature, or identities of the certificate of a bundle of sigstore. */
function findKnownSigners(
  envelope: SignedEnvelope,
  { signers, sigstore }: KnownSigners,
): readonly TrustedSigner[] {
  if (envelope.sigstore === undefined) {
    const makers = findSigners(envelope, signers.filter(isTrustedKey)).map(({ id }) => id)
    return signers.filter(({ id }) => makers.includes(id))
  }
  const certificate = sigstore?.findIdentity(envelope.sigstore)
  return certificate ? findIdentities(signers, certificate) : []
}
