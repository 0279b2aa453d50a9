import type { AuditLog } from './audit/audit-log.ts'
import type { AuditSource } from './audit/audit-source.ts'
import type { Config } from './config/config.ts'
import type { OutputStore } from './outputs/store/output-store.ts'
import type { Policy } from './policy/policy.ts'
import type { Repositories } from './policy/repositories.ts'
import type { RunStore } from './runs/history/run-store.ts'
import type { RunGate } from './runs/run-gate.ts'
import type { Sandboxes } from './sandbox/sandboxes.ts'
import type { SessionStore } from './skill-context/session-store.ts'
import type { Repository } from './skills/repository/repository.ts'
import type { BlobStore } from './storage/blob-store.ts'
import type { LiveSessions } from './workspaces/sessions/live-sessions.ts'
import type { Workspaces } from './workspaces/workspaces.ts'

/**
 * Everything that operations share within one runtime, and no operation. A function takes the services
 * that it uses: `Pick<Services, 'blobs' | 'config'>`. Stores are opened on first use.
 */
export interface Services {
  readonly config: Config
  readonly repository: Repository
  /** Undefined where nothing is cached. */
  readonly cacheDir: string | undefined
  /** Backends, and the sandboxes that they hold ready. */
  readonly sandboxes: Sandboxes
  blobs(): Promise<BlobStore>
  /** Run records. */
  runs(): Promise<RunStore>
  /** Output of programs. */
  outputs(): Promise<OutputStore>
  /** Folders of this machine that programs may run in. */
  readonly repositories: Repositories
  /** The policy as its files are now. */
  policy(): Promise<Policy>
  audit(): Promise<AuditLog>
  /** Reads what `audit` writes. */
  auditSource(): Promise<AuditSource>
  /** The queue of runs, for entry points without a queue of their own. */
  readonly gate: RunGate
  /** The queue of approval requests. */
  readonly approvals: RunGate
  /** Loaded skills of agents' sessions. */
  sessions(): Promise<SessionStore>
  /** Folders in which agents' sessions run commands. */
  workspaces(): Promise<Workspaces>
  /** Interactive commands in workspaces. The owner of the runtime ends them. */
  liveSessions(): Promise<LiveSessions>
}
