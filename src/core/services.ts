import type { AuditLog } from './audit/audit-log.ts'
import type { AuditOrder, AuditPage, AuditQuery } from './audit/read-page.ts'
import type { AuditSource } from './audit/audit-source.ts'
import type { ChainLink } from './audit/chain.ts'
import type { RunRecords } from './audit/record-digests.ts'
import type { AuditReport } from './audit/verify-audit.ts'
import type { Config } from './config/config.ts'
import type { ConfigOrigins } from './config/load-config.ts'
import type { DoctorReport } from './doctor/doctor-report.ts'
import type { FleetReport } from './fleet-report.ts'
import type { Offloader } from './offload/offload.ts'
import type { OutputStore } from './outputs/store/output-store.ts'
import type { PolicySource } from './policy/policy.ts'
import type { RepositoryRegistry } from './policy/repository-registry.ts'
import type { DetachedStarter } from './runs/detached/detached-request.ts'
import type { DetachedStore } from './runs/detached/detached-run.ts'
import type { RunStore } from './runs/history/run-store.ts'
import type { RunIds } from './runs/history/run-id.ts'
import type { SecretSource } from './runs/redaction/secrets.ts'
import type { Kernels } from './runs/kernels/kernels.ts'
import type { SharedSandboxes } from './runs/shared-sandbox/shared-sandboxes.ts'
import type { RunQueue } from './runs/queue/run-queue.ts'
import type { RunInstruments } from './runs/job.ts'
import type { Sandboxes } from './sandbox/sandboxes.ts'
import type { SessionStore } from './skill-context/session-store.ts'
import type { RegexScanner } from '../util/linear-regex/regex-scanner.ts'
import type { Spans } from '../util/spans.ts'
import type { StampedValues } from '../util/stamped-values.ts'
import type { MountedSkill } from './skills/mounted-skill.ts'
import type { Repository } from './skills/repository/repository.ts'
import type { SkillGrants } from './skills/uploads/grant.ts'
import type { UploadedSkills } from './skills/uploads/uploaded-skills.ts'
import type { BlobStore } from './storage/blob-store.ts'
import type { LiveSessions } from './workspaces/sessions/live-sessions.ts'
import type { Workspaces } from './workspaces/workspaces.ts'

/**
 * All stores. Each is a contract of ids and streams, opened on first use; the data directory is one
 * implementation.
 */
export interface Stores {
  blobs(): Promise<BlobStore>
  /** Run records. */
  runs(): Promise<RunStore>
  /** Output of programs. */
  outputs(): Promise<OutputStore>
  audit(): Promise<AuditLog>
  /** Reads the records that `audit` writes. */
  auditSource(): Promise<AuditSource>
  /** Reads a page of them. */
  readAuditPage(order: AuditOrder, query: AuditQuery): Promise<AuditPage>
  /** Compares them with anchors that were stored elsewhere, and with the records of runs. */
  verifyAudit(anchors: readonly ChainLink[], runs: RunRecords): Promise<AuditReport>
  /** The nodes of the fleet; undefined if this machine belongs to none. */
  describeFleet(): Promise<FleetReport | undefined>
  /** Loaded skills of agents' sessions. */
  sessions(): Promise<SessionStore>
  /** Skills uploaded by `create_skill`. */
  uploads(): Promise<UploadedSkills>
  /** Permissions granted to uploaded skills. */
  grants(): Promise<SkillGrants>
  /** Detached runs, which other processes or machines perform. */
  detached(): Promise<DetachedStore>
  /** Values of the operator's secrets. */
  secrets(): Promise<SecretSource>
  /** The policy in force. */
  readonly policy: PolicySource
}

/**
 * Everything that operations share within one runtime, without the operations. A function takes the
 * services that it uses: `Pick<Services, 'blobs' | 'config'>`.
 */
export interface Services extends Stores {
  readonly config: Config
  /** Undefined if the program that opened the runtime does not know them. */
  readonly origins: ConfigOrigins | undefined
  /** The check of the machine that is under way, which all its callers share. */
  readonly machineCheck: { running: Promise<DoctorReport> | undefined }
  /** Spans of operations, for the tracer provider of the program. */
  readonly spans: Spans
  readonly repository: Repository
  /** False if only the general implementations may answer. */
  readonly fastPaths: boolean
  /** Set by tests and debuggers alone, in a copy of their services. */
  readonly instruments?: RunInstruments | undefined
  /** Undefined if nothing is cached. */
  readonly cacheDir: string | undefined
  /** Backends, and the sandboxes that they keep ready. */
  readonly sandboxes: Sandboxes
  readonly ids: RunIds
  /** Patterns of text to mask in output; undefined if there are none. */
  redactionPatterns(): Promise<RegexScanner | undefined>
  /** Folders of this machine in which programs may run. */
  readonly repositories: RepositoryRegistry
  /**
   * Finds a skill of strangers, if the configuration requires more isolation for it, as the
   * beginning of a sentence.
   */
  findStranger(skills: readonly MountedSkill[]): Promise<string | undefined>
  /** The queue of runs, for entry points without a queue of their own. */
  readonly runQueue: RunQueue
  /** The queue of approval requests. */
  readonly approvals: RunQueue
  /** The queue of detached runs that are not acknowledged yet. */
  readonly detachedStarts: RunQueue
  /** Starts detached runs on other machines; undefined if processes of this machine perform them. */
  readonly startDetached: DetachedStarter | undefined
  /** A sentence why this runtime cannot detach runs; undefined if it can. */
  readonly detachObstacle: string | undefined
  /** Digests of skills, by folder. */
  digests(): Promise<StampedValues<string>>
  /** Installed packages of skills that were verified, by folder. */
  installed(): Promise<StampedValues<string | undefined>>
  /** Folders in which agents' sessions run commands. */
  workspaces(): Promise<Workspaces>
  /** Living sandboxes of agents' sessions. The owner of the runtime ends them. */
  sharedSandboxes(): Promise<SharedSandboxes>
  /** Living interpreters of callers. The owner of the runtime ends them. */
  kernels(): Promise<Kernels>
  /** The thread for work whose time the author of a skill decides. */
  offloader(): Promise<Offloader>
  /** Interactive commands in workspaces. The owner of the runtime ends them. */
  liveSessions(): Promise<LiveSessions>
}
