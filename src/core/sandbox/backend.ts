import type { Duplex, Readable } from 'node:stream'
import type { PlainObject } from '../manifest/manifest.ts'

export const BACKENDS = ['bubblewrap', 'container', 'process'] as const
export type BackendName = (typeof BACKENDS)[number]

/** Something that the inside shall see; targets are absolute paths inside. */
export type Mount =
  | { kind: 'bind'; source: string; target: string; writable?: boolean }
  | { kind: 'file'; target: string; content: string | Uint8Array; mode?: number }
  | { kind: 'symlink'; target: string; to: string }
  | { kind: 'tmpfs'; target: string; sizeBytes: number }

/** Every limit that a run has; a backend that cannot enforce one declares it. */
export interface Limits {
  wallMs: number
  cpuMs: number
  memoryBytes: number
  processes: number
  openFiles: number
  workspaceBytes: number
  workspaceFiles: number
  outputBytes: number
}

/**
 * What a sandbox runs. The guest is our Python init (PID 1, trusted) which forks the child that
 * runs user code; `job` is handed to it as it is and never appears in argv or environment.
 */
export interface SandboxRequest {
  id: string
  /** The Python that runs the guest, and what must be mounted for it. */
  interpreter: { executable: string; mounts: readonly Mount[] }
  job: PlainObject
  /** The whole environment of user code. */
  env: Readonly<Record<string, string>>
  mounts: readonly Mount[]
  limits: Limits
  /** The run's own filter; null means no network at all. */
  network: EgressFilter | null
  /** Keep the workspace as an archive-able directory after the end. */
  keepWorkspace?: string | undefined
}

/** Decides and carries one run's connections; created for the run, closed with it. */
export interface EgressFilter {
  /** Variables such as HTTPS_PROXY for the inside. */
  env: Readonly<Record<string, string>>
  /** Serves one connection that reached one of the sandbox's own listeners. */
  accept(connection: Duplex, listener: string): void
  close(): Promise<void>
}

/** Which limit ended a run. */
export type LimitName =
  | 'wall'
  | 'cpu'
  | 'memory'
  | 'processes'
  | 'openFiles'
  | 'disk'
  | 'inodes'
  | 'output'

/** How it ended; known only when every process of the run is dead. */
export interface SandboxExit {
  /** The child's own end, as PID 1 saw it; both null where it was never told. */
  exitCode: number | null
  signal: string | null
  /** The limits that were hit, the one that ended the run first. */
  limitsHit: readonly LimitName[]
  cancelled: boolean
  usage: {
    cpuMs: number
    peakMemoryBytes: number | null
    wallMs: number
    processesPeak: number | null
  }
  /** Why the sandbox itself failed, if it did. */
  failure: string | undefined
}

/** What was really applied, for the result and the record. */
export interface Isolation {
  backend: BackendName
  tier: 'strict' | 'weak' | 'none'
  path: 'cold' | 'warm'
  namespaces: readonly string[]
  user: string
  seccomp: boolean
  /** Where each limit is enforced: cgroup2, cgroup1, rlimit, tmpfs, runtime, none. */
  limits: Readonly<Record<string, string>>
  network: 'none' | 'filtered' | 'host'
}

/** A sandbox that is running. */
export interface SandboxProcess {
  readonly isolation: Isolation
  /** Frames between the host and the child: logs, blobs, the result. */
  readonly channel: Duplex
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves once every process of the run is dead and both streams have ended. */
  readonly exited: Promise<SandboxExit>
  /** Ends everything at once; `why` goes into the exit. Safe to call at any time. */
  kill(why: 'cancelled' | LimitName): void
}

/** One thing that a backend promises or not. */
export interface BackendPromise {
  feature: string
  promised: boolean
  /** Why not, or how. */
  note: string
}

/** One probe of the machine that was really tried. */
export interface Probe {
  feature: string
  ok: boolean
  detail: string
  /** What to type where it is missing. */
  fix: string | undefined
}

/** One way to isolate. Implementations: bubblewrap, container, process. */
export interface SandboxBackend {
  readonly name: BackendName
  readonly promises: readonly BackendPromise[]
  /** Really tries each feature. */
  probe(): Promise<readonly Probe[]>
  /** Throws `sandbox/unavailable` or `sandbox/too-weak`; never runs with less than was asked. */
  start(request: SandboxRequest): Promise<SandboxProcess>
  /** Removes what crashed predecessors left (cgroups, directories, containers). */
  sweep(): Promise<{ removed: number }>
}
