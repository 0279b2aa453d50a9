import type { ContentEntry } from '../../skills/content/content-manifest.ts'
import type { SignedEnvelope } from '../envelope/dsse.ts'
import type { SigstoreVerifier } from '../sigstore/verify-sigstore.ts'
import type { TrustList } from '../trust/trust-list.ts'

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
  /** `pkg:npm/name@version`, which statements of a registry of npm name. */
  packageUrl?: string | undefined
  /** Bytes of the archive, which signatures without a statement are over. */
  archiveBytes?: Uint8Array | undefined
  /** True if the files came from an archive that is not here: statements about it prove nothing. */
  hasUnknownArchive?: boolean | undefined
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
