import { signEnvelope, type SignedEnvelope, type SigningKey } from './envelope/dsse.ts'
import { formatRelease, type ReleaseFacts } from './statement/release.ts'
import {
  parseStatement,
  STATEMENT_PAYLOAD,
  type ParsedStatement,
  type StatementSubject,
} from './statement/statement.ts'
import { formatVetResult, type VetResult } from './statement/vet-result.ts'
import { formatTestResult, type TestResult } from './statement/test-result.ts'

/** Statements to sign about one artifact. */
export interface SigningRequest {
  subjects: readonly StatementSubject[]
  release: ReleaseFacts
  /** Results of its tests, and the report that has them. */
  tests?: { result: TestResult; report: StatementSubject } | undefined
  /** Verdict of a reading for what harms users. */
  vet?: VetResult | undefined
}

/** Signs a release, and the results of its tests and the verdict about it, if there are any. */
export function signArtifact(
  { subjects, release, tests, vet }: SigningRequest,
  key: SigningKey,
): SignedEnvelope[] {
  const payloads = [formatRelease(subjects, release)]
  if (tests) payloads.push(formatTestResult(subjects, tests.result, tests.report))
  if (vet) payloads.push(formatVetResult(subjects, vet))
  return payloads.map((payload) => signEnvelope(STATEMENT_PAYLOAD, payload, key))
}

/**
 * Adds envelopes to those of a file. Statements about other content, and older ones of the same key
 * and type, are dropped.
 */
export function mergeEnvelopes(
  before: readonly SignedEnvelope[],
  added: readonly SignedEnvelope[],
): SignedEnvelope[] {
  const news = added.map((each) => ({ statement: readUnverified(each), envelope: each }))
  const kept = before.filter((envelope) => {
    const statement = readUnverified(envelope)
    if (!statement) return false
    const isCurrent = news.some((each) => shareDigest(statement, each.statement))
    const isReplaced = news.some(
      (each) =>
        each.statement?.predicateType === statement.predicateType &&
        haveSameSigner(envelope, each.envelope),
    )
    return isCurrent && !isReplaced
  })
  return [...kept, ...added]
}

/** Reads a statement to sort envelopes only: its signatures are not checked. */
function readUnverified({ payload, payloadType }: SignedEnvelope): ParsedStatement | undefined {
  if (payloadType !== STATEMENT_PAYLOAD) return undefined
  try {
    return parseStatement(payload, (problem) => new Error(problem))
  } catch {
    return undefined
  }
}

function shareDigest(a: ParsedStatement, b: ParsedStatement | undefined): boolean {
  return a.subjects.some(({ digest }) => b?.subjects.some((each) => each.digest === digest))
}

function haveSameSigner(a: SignedEnvelope, b: SignedEnvelope): boolean {
  const ids = new Set(b.signatures.map(({ keyId }) => keyId))
  return a.signatures.every(({ keyId }) => ids.has(keyId))
}
