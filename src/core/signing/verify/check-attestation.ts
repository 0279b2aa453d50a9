import type { CertificateIdentity } from '../trust/identity.ts'
import type { TrustedSigner } from '../trust/trust-list.ts'
import { checkSigner, type SignerState } from './check-signers.ts'
import { createSignerContext, isAbout, isAboutUnknown } from './match-statement.ts'
import type { ReadBundle, SignedStatement } from './read-statements.ts'
import type { StatementFacts } from './statement-facts.ts'
import type { VerificationRequest } from './verification-request.ts'

/**
 * State of a bundle of sigstore; only `trusted` counts. `untrusted` has a valid signature of a
 * signer that the trust list does not have, `source` of one that is trusted for other sources.
 * `other` is about something else.
 */
export type AttestationState =
  | 'trusted'
  | 'untrusted'
  | Exclude<SignerState, 'valid'>
  | 'other'
  | 'invalid'
  | 'unchecked'

/** Problem of bundles that nothing could be compared with. */
export const NO_TRUSTED_ROOT = 'no trusted root'

/** A bundle of sigstore that came with an artifact. */
export interface CheckedAttestation {
  state: AttestationState
  /** Undefined unless the signature is valid. */
  statement: StatementFacts | undefined
  /** Undefined for a bundle that is signed with a key, and if the signature is not valid. */
  certificate: CertificateIdentity | undefined
  /** Entry of the trust list that made the signature. */
  signer?: TrustedSigner
  /** Sources that the entry needs; undefined is one that only `*` covers. */
  sources?: readonly (string | undefined)[]
  /** Reason for which it is not valid or not checked. */
  problem?: string
}

/** Decides what a bundle proves about an artifact. */
export function checkAttestation(
  request: VerificationRequest,
  { signer, statement }: ReadBundle,
): CheckedAttestation {
  const certificate = signer?.state === 'certificate' ? signer.certificate : undefined
  if (statement) return { statement, certificate, ...checkStatement(request, statement) }
  const failed =
    signer && 'problem' in signer
      ? signer
      : { state: 'unchecked' as const, problem: NO_TRUSTED_ROOT }
  return { statement, certificate, state: failed.state, problem: failed.problem }
}

type StatementCheck = Omit<CheckedAttestation, 'statement' | 'certificate'>

/** Decides about a statement whose signature is valid. */
function checkStatement(request: VerificationRequest, statement: SignedStatement): StatementCheck {
  if (isAboutUnknown(request.artifact, statement)) {
    return { state: 'unchecked', problem: 'the archive that it is about is not here' }
  }
  if (!isAbout(request, statement)) return { state: 'other' }
  const context = createSignerContext(request, statement)
  const checked = statement.signers.map((key) => checkSigner(key, context))
  const first = checked.find(({ state }) => state === 'valid') ?? checked[0]
  const { sources } = context
  if (!first) return { state: 'untrusted', sources }
  return { state: first.state === 'valid' ? 'trusted' : first.state, signer: first.key, sources }
}
