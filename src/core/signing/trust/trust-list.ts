import type { VerificationKey } from '../keys/verification-key.ts'

/** A key of someone else, and the sources that it may sign for. */
export interface TrustedKey extends VerificationKey {
  name: string
  /** Patterns of sources. */
  sources: readonly string[]
  /** ISO 8601; absent if the key does not expire. */
  expires?: string | undefined
  /** Present if the key must not be trusted, for any signature at any time. */
  revoked?: { since: string; reason: string } | undefined
  /** True if the key was accepted without a comparison of its id. */
  isFirstUse: boolean
}

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
  keys: readonly TrustedKey[]
  rules: readonly TrustRule[]
}

export const EMPTY_TRUST: TrustList = { keys: [], rules: [] }
