import { malformedBundleError } from '../envelope/bundle-file.ts'
import { findSigners, type SignedEnvelope } from '../envelope/dsse.ts'
import type { BundleSigner, SigstoreVerifier } from '../sigstore/verify-sigstore.ts'
import { findIdentities } from '../trust/identity.ts'
import { isTrustedKey, type TrustedSigner } from '../trust/trust-list.ts'
import { STATEMENT_PAYLOAD } from '../statement/statement.ts'
import {
  describeArchiveSignature,
  findContradiction,
  readStatement,
  type StatementFacts,
} from './statement-facts.ts'

/** A statement with a valid signature, and the signers of the trust list that made it. */
export interface SignedStatement extends StatementFacts {
  signers: readonly TrustedSigner[]
}

/** A bundle of sigstore. */
export interface ReadBundle {
  /** Undefined without a trusted root. */
  signer: BundleSigner | undefined
  /** Undefined unless the signature is valid. */
  statement: SignedStatement | undefined
}

export interface SignedStatements {
  /** Statements of signers of the trust list. */
  statements: readonly SignedStatement[]
  /** All bundles of sigstore, in their order. */
  bundles: readonly ReadBundle[]
}

/** Signers that may be known, and the verifier of their certificates. */
interface KnownSigners {
  signers: readonly TrustedSigner[]
  sigstore: SigstoreVerifier | undefined
  /** Bytes of the archive. */
  archive: Uint8Array | undefined
}

/** A payload is parsed only after one of its signatures is valid; the others are skipped. */
export function readStatements(
  envelopes: readonly SignedEnvelope[],
  known: KnownSigners,
  place: string,
): SignedStatements {
  const statements: SignedStatement[] = []
  const bundles: ReadBundle[] = []
  for (const [at, envelope] of envelopes.entries()) {
    const refuse = (problem: string) => malformedBundleError(place, `line ${at + 1}: ${problem}`)
    if (envelope.payloadType !== STATEMENT_PAYLOAD && !envelope.signsArchive) {
      const type = JSON.stringify(envelope.payloadType)
      throw refuse(`its payload type is ${type}, expected "${STATEMENT_PAYLOAD}"`)
    }
    if (envelope.sigstore === undefined) {
      const makers = findSigners(envelope, known.signers.filter(isTrustedKey)).map(({ id }) => id)
      const signers = known.signers.filter(({ id }) => makers.includes(id))
      if (signers.length > 0) statements.push({ ...readStatement(envelope, refuse), signers })
      continue
    }
    const bundle = readBundleStatement(envelope, known, refuse)
    bundles.push(bundle)
    if (bundle.statement && bundle.statement.signers.length > 0) statements.push(bundle.statement)
  }
  return { statements, bundles }
}

function readBundleStatement(
  envelope: SignedEnvelope,
  { signers, sigstore, archive }: KnownSigners,
  refuse: (problem: string) => Error,
): ReadBundle {
  const signer = sigstore?.verify(envelope, { keys: signers.filter(isTrustedKey), archive })
  const makers = findMakers(signers, signer)
  if (!makers) return { signer, statement: undefined }
  const certificate = signer?.state === 'certificate' ? signer.certificate : undefined
  try {
    const facts =
      envelope.signsArchive && archive
        ? describeArchiveSignature(archive, certificate)
        : readStatement(envelope, refuse, certificate)
    const problem = findContradiction(facts, certificate)
    if (problem !== undefined) throw refuse(problem)
    return { signer, statement: { ...facts, signers: makers } }
  } catch (thrown) {
    // Everyone can get a certificate: what a stranger writes must not stop an installation.
    if (makers.length > 0) throw thrown
    return {
      signer: { state: 'invalid', problem: (thrown as Error).message },
      statement: undefined,
    }
  }
}

/** Signers of the trust list that made a bundle; undefined unless its signature is valid. */
function findMakers(
  signers: readonly TrustedSigner[],
  signer: BundleSigner | undefined,
): readonly TrustedSigner[] | undefined {
  if (signer?.state === 'certificate') return findIdentities(signers, signer.certificate)
  if (signer?.state !== 'key') return undefined
  return signers.filter(({ id }) => id === signer.key.id)
}
