import { malformedBundleError } from '../envelope/bundle-file.ts'
import { findSigners, type SignedEnvelope } from '../envelope/dsse.ts'
import { parseRelease, RELEASE_TYPE, type Release } from '../statement/release.ts'
import { parseStatement, STATEMENT_PAYLOAD, type StatementSubject } from '../statement/statement.ts'
import { parseTestResult, TEST_RESULT_TYPE, type TestResult } from '../statement/test-result.ts'
import type { TrustedKey } from '../trust/trust-list.ts'

/** A statement with a valid signature of at least one key of the trust list. */
interface SignedStatement<Predicate> {
  subjects: readonly StatementSubject[]
  predicate: Predicate
  signers: readonly TrustedKey[]
}

export type SignedRelease = SignedStatement<Release>

export interface SignedStatements {
  releases: SignedRelease[]
  tests: SignedStatement<TestResult>[]
}

/**
 * Reads the statements that known keys signed. A payload is parsed only after one of its signatures
 * is valid; the others are skipped.
 */
export function readStatements(
  envelopes: readonly SignedEnvelope[],
  keys: readonly TrustedKey[],
  place: string,
): SignedStatements {
  const found: SignedStatements = { releases: [], tests: [] }
  for (const [at, envelope] of envelopes.entries()) {
    const refuse = (problem: string) => malformedBundleError(place, `line ${at + 1}: ${problem}`)
    if (envelope.payloadType !== STATEMENT_PAYLOAD) {
      const type = JSON.stringify(envelope.payloadType)
      throw refuse(`its payload type is ${type}, expected "${STATEMENT_PAYLOAD}"`)
    }
    const signers = findSigners(envelope, keys) as TrustedKey[]
    if (signers.length === 0) continue
    const { subjects, predicateType, predicate } = parseStatement(envelope.payload, refuse)
    const common = { subjects, signers }
    if (predicateType === RELEASE_TYPE) {
      found.releases.push({ ...common, predicate: parseRelease(predicate) })
    } else if (predicateType === TEST_RESULT_TYPE) {
      found.tests.push({ ...common, predicate: parseTestResult(predicate) })
    }
  }
  return found
}
