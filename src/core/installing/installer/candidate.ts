import type { SkillsError } from '../../../errors.ts'
import type { SkillComparison } from '../../comparing/compare-skills.ts'
import type { CheckedAttestation } from '../../signing/verify/check-attestation.ts'
import type { SignatureSummary } from '../../signing/verify/summarize-signature.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import type { VetReport } from '../../vetting/index.ts'
import type { LockedAgent } from '../agents/locked-agent.ts'
import type { UpdateRequest } from '../check-update.ts'
import type { LockedSkill } from '../lock-file.ts'
import type { PreparedSkill } from '../prepare-skill.ts'
import type { RecordedSource } from '../source-identity.ts'

/** Signatures of a fetched skill. */
export interface SignatureCheck {
  /** Names of the keys and identities that count. */
  signers: readonly string[]
  attestations: readonly CheckedAttestation[]
  /** The same for people. */
  signature: SignatureSummary
}

/** A skill that was fetched and checked, and is not installed. */
export interface InstallCandidate extends SignatureCheck {
  skill: PreparedSkill
  fetched: FetchedSkill
  recorded: RecordedSource
  /** The entry that it replaces. */
  before: LockedSkill | undefined
  request: UpdateRequest
  /** Agents of the caller, in addition to those of the entry. */
  agents: readonly LockedAgent[]
  /** True for files that wait for a consent since an earlier command. */
  isPending?: boolean
}

/** Facts about a staged skill for the consent. */
export interface StagedFacts {
  /** Undefined if the configuration turns it off. */
  vetting: VetReport | undefined
  /** Hosts, programs and secrets of a skill without a manifest, as sentences. */
  reach: readonly string[]
  /** Lint errors, without those that the verdict has. */
  problems: readonly string[]
}

/** Differences from the installed files, which may be missing. */
export type InstalledComparison = SkillComparison | 'missing'

/** Facts for the consent to an installation; without a comparison nothing is replaced. */
export interface ConsentFacts extends RecordedSource, StagedFacts, Omit<SignatureCheck, 'signers'> {
  skill: PreparedSkill
  before: LockedSkill | undefined
  comparison?: InstalledComparison | undefined
}

/** An installed skill, and what its signatures showed. */
export interface InstalledResult extends Omit<SignatureCheck, 'signature'> {
  skill: LockedSkill
  /** Undefined if only links of the skill were repaired. */
  signature: SignatureSummary | undefined
}

/** A skill that was not installed, although others were. */
export interface FailedInstall {
  source: string
  error: SkillsError
}

export type InstallResult = InstalledResult | FailedInstall
