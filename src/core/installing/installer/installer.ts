import type { Config } from '../../config/config.ts'
import type { SigstoreRoots } from '../../signing/sigstore/open-trusted-root.ts'
import type { TrustStore } from '../../signing/trust/trust-store.ts'
import type { TrialReport } from '../../trials/index.ts'
import type { AgentDefinition } from '../agents/agent-table.ts'
import type { InstallPlaces } from '../install-places.ts'
import type { ConsentStore } from '../machine-consents.ts'
import type { ArchiveStore } from '../pending/archive-store.ts'
import type { ConsentFacts, InstallResult } from './candidate.ts'

/** Folders, rules and stores for installing skills, and their caller. */
export interface Installer {
  places: InstallPlaces
  config: Config
  /** Base folder of the configuration's globs. */
  projectDir: string
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  trust: TrustStore
  consents: ConsentStore
  archives: ArchiveStore
  sigstoreRoots: SigstoreRoots
  options: InstallOptions
  caller: InstallCaller
}

export interface InstallOptions {
  /** Digests of files to which the caller agrees; others are refused then. */
  trust: readonly string[]
  /** Agrees to whatever the sources have. */
  yes: boolean
  /** Replaces files that were changed after the installation. */
  force: boolean
  /** Trusts a lock that was reviewed, and refuses changed and unknown files. */
  frozen: boolean
  allowDowngrade: boolean
  /** Accepts other files under a tag or a version that is installed. */
  allowRepublished: boolean
  /** Ids of agents, instead of those of the configuration. */
  agents: readonly string[]
  /** Copies skills into the folders of agents, instead of links. */
  copy: boolean
}

/** Questions and reports of an installation. */
export interface InstallCaller {
  /** Does work that waits for another machine. */
  fetching<Result>(source: string, work: () => Promise<Result>): Promise<Result>
  /** Reports a fact that stops nothing. */
  note(text: string): void
  /** Shows what a skill may do. */
  show(facts: ConsentFacts): void
  /** Asks for a consent to the files that were shown; undefined if there is no one to ask. */
  agree(facts: ConsentFacts): Promise<boolean | undefined>
  /** Asks whether agents that are used here get a link to a skill, which they would not find. */
  offerAgents(offered: readonly AgentDefinition[]): Promise<boolean>
  /** Reports a source of several, before the next one is fetched. */
  report(result: InstallResult): void
  /** Runs a staged skill with bait. */
  runTrials(dir: string, source: string): Promise<TrialReport>
}
