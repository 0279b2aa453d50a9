import type { VerificationKey } from '../keys/verification-key.ts'

/** A signer, and the sources that it may sign for. */
interface SignerFacts {
  name: string
  /** `sha256:<hex>` for a key; issuer and identity for an identity. */
  id: string
  /** Patterns of sources. */
  sources: readonly string[]
  /** ISO 8601; absent if the trust does not expire. */
  expires?: string | undefined
  /** Present if the signer must not be trusted, for any signature at any time. */
  revoked?: { since: string; reason: string } | undefined
  /** True if the key was accepted without a comparison of its id. */
  isFirstUse: boolean
}

/** A key of someone else. */
export interface TrustedKey extends VerificationKey, SignerFacts {}

/** The holder of certificates of sigstore, such as a workflow of a repository. */
export interface TrustedIdentity extends SignerFacts {
  /** Subject alternative name, which may end with `/*` or `@*`. */
  identity: string
  /** URL of the provider that confirmed the identity. */
  issuer: string
}

export type TrustedSigner = TrustedKey | TrustedIdentity

/** Number of keys that have to sign for a source. */
export interface TrustRule {
  /** Pattern of sources. */
  source: string
  threshold: number
  /** Names of the keys that count; all keys of the source if absent. */
  keys?: readonly string[] | undefined
}

/** Decisions of the user about signers. */
export interface TrustList {
  keys: readonly TrustedSigner[]
  rules: readonly TrustRule[]
}

export const EMPTY_TRUST: TrustList = { keys: [], rules: [] }

export function isTrustedKey(signer: TrustedSigner): signer is TrustedKey {
  return 'publicKey' in signer
}
