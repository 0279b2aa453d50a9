import type { LockedAgent } from '../../core/installing/agents/locked-agent.ts'
import type { UpdateRequest } from '../../core/installing/check-update.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { RecordedSource } from '../../core/installing/source-identity.ts'
import type { CheckedAttestation } from '../../core/signing/verify/check-attestation.ts'
import type { SignatureSummary } from '../../core/signing/verify/summarize-signature.ts'
import type { FetchedSkill } from '../../core/sources/fetched-skill.ts'

/** A skill that was fetched and checked, and is not installed. */
export interface InstallCandidate {
  places: InstallPlaces
  skill: PreparedSkill
  fetched: FetchedSkill
  recorded: RecordedSource
  /** Names of the keys and identities that count. */
  signers: readonly string[]
  attestations: readonly CheckedAttestation[]
  signature: SignatureSummary
  /** The entry that it replaces. */
  before: LockedSkill | undefined
  request: UpdateRequest
  /** Agents of the command line, in addition to those of the entry. */
  agents: readonly LockedAgent[]
  /** True for files that wait for a consent since an earlier command. */
  isParked?: boolean
}
