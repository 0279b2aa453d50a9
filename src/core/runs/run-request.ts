import type { LogSource } from './history/log-pieces.ts'
import type { RunDependencies } from '../skills/dependencies/for-run.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { SkillLanguageName } from '../skills/manifest/skill-languages.ts'
import type { ContainerSettings, Limits } from '../sandbox/backend.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { Decision } from '../policy/decide.ts'
import type { WarmSandboxes } from '../sandbox/warm/warm-sandboxes.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { NetworkPlan } from './plan-network.ts'
import type { RunEvent } from './run-call.ts'
import type { RunTrace } from './trace.ts'

/** What is called: the entrypoint of a mounted skill, or a function of given code. */
export type Target =
  | { kind: 'skill'; skill: MountedSkill }
  | { kind: 'code'; language: SkillLanguageName; code: string; entrypoint: string }

/** One run, everything decided. */
export interface RunRequest {
  id: string
  /** What it may do, and why. */
  decision: Decision
  target: Target
  /** Everything under /skills, a target that is a skill included. */
  mounts: readonly MountedSkill[]
  args: PlainObject
  inputBlobs: readonly string[]
  limits: Limits
  maxBlobBytes: number
  /** Values of the secrets that the run gets, by name. */
  secrets: Readonly<Record<string, string>>
  /** What the run may reach; nothing where it is missing. */
  network?: NetworkPlan | undefined
  /** Other variables that the run gets. */
  environment: Readonly<Record<string, string>>
  /** What the run's logs begin with. */
  notes: readonly string[]
  /** Packages that its skills pinned, where any did. */
  dependencies?: RunDependencies | undefined
  python: string | undefined
  container: ContainerSettings
  /** What isolates it; `auto` is the best that is safe. */
  backend: BackendName | 'auto'
  strict: boolean
  /** What may be deleted at any time is kept here; nothing is unless given. */
  cacheDir?: string | undefined
  /** Folders that are worked on: nothing in them is started. */
  excluded?: readonly string[] | undefined
  cwd: string
  /** The caller's environment: where programs are found. */
  env: Readonly<Record<string, string | undefined>>
  blobs: BlobStore
  /** Where the workspace is copied to when the run has ended. */
  keepIn?: string | undefined
  /** Filled while the run goes on. */
  trace?: RunTrace | undefined
  /** Sandboxes at hand, where this process keeps any. */
  warm?: WarmSandboxes | undefined
  signal: AbortSignal | undefined
  onEvent: ((event: RunEvent) => void) | undefined
  /** Called with all that it says, as bytes. */
  onBytes?: ((source: LogSource, bytes: Buffer) => void) | undefined
}
