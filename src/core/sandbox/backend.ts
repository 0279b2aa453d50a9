import type { Readable, Writable } from 'node:stream'
import type { Isolation } from './isolation.ts'
import type { SandboxNetwork } from './network.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** All limits of a run. */
export interface Limits {
  wallMs: number
  /** Processor time of the whole run if a control group counts it, otherwise of each process. */
  cpuMs: number
  memoryBytes: number
  /** Limit over all runs on this machine; by default, a share of the machine's memory. */
  totalMemoryBytes: number | undefined
  processes: number
  /** Per process. */
  openFiles: number
  workspaceBytes: number
  /** Number of files and folders that a run may create in total. */
  inodes: number
  outputBytes: number
  /** Bytes that the run sends and receives over its network. */
  networkBytes: number
}

/** The Python interpreter of a run, as seen inside the sandbox. */
export interface Interpreter {
  /** Path inside the sandbox. */
  executable: string
  version: string
  /** Host folders that it needs besides /usr, with their paths inside. */
  mounts: readonly { source: string; target: string }[]
  /** Folders of installed packages that runs import from, as paths inside. */
  packages: readonly string[]
  /** Folders of installed packages that runs must not see. */
  hidden: readonly HiddenFolder[]
  /** Folder of its shared libraries, as a path inside. */
  libraries: string | undefined
  /** The guest's modules compiled by this interpreter: base64 by file name. */
  compiled: ReadonlyMap<string, string>
}

/** A folder or file inside that an empty one covers. */
export interface HiddenFolder {
  target: string
  isFile?: boolean
  /** Entries that stay visible: their paths on the host and inside. */
  kept: readonly { source: string; target: string }[]
}

/** The operator's container settings. */
export interface ContainerSettings {
  engine: 'auto' | 'docker' | 'podman'
  /** `runsc`: the kernel of gVisor serves the system calls of runs. */
  runtime: 'default' | 'runsc'
  /** Brings its own Python. Without an image, the host's /usr is mounted read-only. */
  image: string | undefined
}

/** A skill to copy. */
export interface SourceSkill {
  name: string
  dir: string
  /** By path: files that the copy gets besides those of the folder. */
  addedFiles?: ReadonlyMap<string, string> | undefined
  /** Called after the copy; throws if the copy is not of the state that was authorized. */
  requireUnchanged?: (() => void) | undefined
}

/** A program that runs instead of the Python harness. */
export interface SandboxProgram {
  /** The first element is a path inside the sandbox. */
  argv: readonly string[]
  /** Folder inside; created if its parent is writable. */
  cwd: string
  /**
   * Created with the program's own user before it starts, as far as permissions allow. Existing
   * files are replaced.
   */
  prepare?: { folders: readonly string[]; files: readonly ProgramFile[] } | undefined
  /** The complete environment. */
  env: Readonly<Record<string, string>>
  /** `pipe`: the program reads the sandbox's `stdin`, until that is ended. */
  stdin: 'none' | 'pipe'
  /** Size of a pseudo-terminal, which then also carries stdin; all output arrives at `stdout`. */
  terminal?: { columns: number; rows: number } | undefined
}

/** A file that is created before a program starts. */
export interface ProgramFile {
  path: string
  text: string
  isProgram: boolean
  /** `base64`: `text` is the content in this encoding. Default: the content itself. */
  encoding?: 'base64' | undefined
}

/** A host folder that is mounted into the sandbox. */
export interface HostFolder {
  source: string
  /** Path inside. Its mount point must already exist if it is below a writable folder. */
  target: string
  /** `overlay`: writes go to a bounded layer of the run; the original never changes. */
  mode: 'read-only' | 'read-write' | 'overlay'
  /** True if every user may read all of it, so that no change of ownership is needed. */
  isPublic?: boolean
  /** True if data written here counts towards the workspace limit. */
  isCounted?: boolean
  /** True for a folder of the user's tools: read-only, not reported, and never copied. */
  isTool?: boolean
  /**
   * True for a read-only folder that the runtime changes while runs see it, and that has only files
   * and folders of the runtime. It is mounted itself: changes below a view are not seen.
   */
  isLive?: boolean
}

/** Work of a sandbox. Jobs are passed to the guest unchanged, never in argv or the environment. */
export type SandboxGuest =
  | {
      kind: 'function'
      /** The call that the harness performs. */
      job: PlainObject
      /** Input of the code from a user; with a size, it is a terminal. */
      input?: Pick<SandboxProgram, 'terminal'> | undefined
    }
  | { kind: 'program'; program: SandboxProgram }
  /**
   * The first process starts programs on request, over the channel, until the sandbox is killed. The
   * limit of processor time applies to each process.
   */
  | {
      kind: 'commands'
      /** The job of a kernel, whose interpreter executes cells on request. */
      kernel?: PlainObject | undefined
      /**
       * Makes writes fail while the workspace is full; called again as long as it is. With it, the
       * sandbox outlives processes that the kernel kills because memory ran out.
       */
      onFull?: ((isFull: boolean) => void) | undefined
    }

/** Everything that a backend needs to start one run. */
export interface SandboxRequest {
  id: string
  guest: SandboxGuest
  /** Outer folders precede the folders that are nested in them. */
  folders?: readonly HostFolder[] | undefined
  /** The only file in /code, which is read-only. */
  code?: { file: string; text: string } | undefined
  /** Host folders that the operator's programs need besides /usr. Any target inside is allowed. */
  tools?: readonly { source: string; target: string; isLive?: boolean }[] | undefined
  /** Folders of installed packages in `tools`, and credentials. */
  hidden?: readonly HiddenFolder[] | undefined
  /** True if runs may use the packages that are installed on this machine. */
  hostPackages?: boolean | undefined
  /** Packages that Node finds by name: links in its own folder of packages. */
  nodePackages?: readonly { name: string; target: string }[] | undefined
  /** Persistent folder that is mounted as /workspace instead of a temporary one. */
  workspace?: { source: string } | undefined
  /** Their folders are copied, so that later changes are not visible to the run. */
  skills: readonly SourceSkill[]
  /** Finds the host's interpreter; called only if the backend uses it. */
  interpreter(): Promise<Interpreter>
  /** Granted blobs: file name under /blobs, and path on the host. */
  blobs: readonly { name: string; path: string }[]
  limits: Limits
  /** The caller's environment, whose PATH is used to find programs. */
  env: Readonly<Record<string, string | undefined>>
  container: ContainerSettings
  /** Refuses to start unless control groups bound the run. */
  strict: boolean
  /** True if the run must share no address-space layout with another run. */
  ownMemoryLayout: boolean
  /** True if other runs get the processor first. */
  hasLowPriority?: boolean | undefined
  /** Cancels a start that is under way. A started sandbox is ended by its own `kill`. */
  signal?: AbortSignal | undefined
  /** Folder that the workspace is copied to after the run; must not exist yet. */
  keepIn?: string | undefined
  /** Egress of the run, for backends that filter. Without it, the sandbox has no network. */
  network?: SandboxNetwork | undefined
}

/** Reason for which the host killed a run. */
export type EndReason =
  | 'cancelled'
  | 'wall'
  | 'output'
  | 'network'
  | 'memory'
  | 'cpu'
  | 'inodes'
  /** A persistent folder grew over its limit. */
  | 'disk'
  /** The disk filled up while the run kept files open that cannot be counted. */
  | 'hidden files'
  | 'blobs'
  | 'channel'

/** Highest use of a run, as the kernel counted it; undefined where it was not counted. */
export interface SandboxUse {
  peakMemoryBytes: number | undefined
  /** Processes and threads. */
  peakProcesses: number | undefined
  /** Bytes in the workspace when every process was dead, if that is a filesystem of the run. */
  workspaceBytes: number | undefined
}

/** Outcome of a sandbox; known only once every process of the run is dead. */
export interface SandboxExit {
  /** Exit code as PID 1 saw it; null, like `signal`, if PID 1 never reported it. */
  exitCode: number | null
  signal: number | null
  /** First reason for which the host killed the run. */
  endedBecause: EndReason | undefined
  /** True if the kernel killed processes because memory ran out. */
  memoryHit: boolean
  /** True if the limit over all runs was reached, not the limit of this run. */
  totalHit: boolean
  /** True if the kernel refused to create a process or thread. */
  processesHit: boolean
  /** True if the last refusal came right before the end. */
  processesHitLast: boolean
  /** Processor time used; undefined if nothing counted it. */
  cpuMs: number | undefined
  /** Undefined for a part of a sandbox that others use too. */
  use?: SandboxUse | undefined
  /** Reason for which the sandbox itself failed. */
  failure: string | undefined
  /**
   * Step that kept the program from starting (`folder`, `limits` or `program`) and the kernel's
   * error name.
   */
  notStarted?: { step: string; error: string } | undefined
  /** Result of copying the workspace; undefined if no copy was requested. */
  kept?: { leftOut: number; unreadable: readonly string[] } | { problem: string } | undefined
}

/** Isolation and limits that a backend guarantees; asserted by its tests. */
export interface BackendGuarantees {
  /** Strongest tier of the backend. The result of a run reports the tier that was applied. */
  tier: Isolation['tier']
  isolates: Readonly<Record<IsolatedResource, boolean>>
  /** True if the backend can restrict a run to a list of destinations. */
  filtersNetwork: boolean
  limits: Readonly<Record<LimitedResource, LimitScope>>
}

/** Resources that a run can be isolated from. */
export type IsolatedResource =
  /** Files of the host other than those mounted. */
  | 'files'
  | 'network'
  /** Host processes. Includes that no process of the run outlives it. */
  | 'processes'
  /** Permissions of the user that started the run. */
  | 'user'
  /** System calls that ordinary code does not need. */
  | 'system calls'

/** Resources that can be limited. */
export type LimitedResource =
  | 'time'
  | 'cpu'
  | 'memory'
  | 'processes'
  | 'open files'
  | 'disk'
  | 'output'

/**
 * Scope of a limit: the whole run, each process or file, or only where control groups are
 * available.
 */
type LimitScope = 'run' | 'each process' | 'each file' | 'where control groups allow'

/** Result of testing a backend on this machine. */
export interface BackendProbe {
  ok: boolean
  /** Finding, for people. */
  detail: string
  /** Command or action that fixes a failed probe. */
  fix?: string | undefined
}

/** Sandboxes that a backend keeps ready, so that later runs start sooner. */
export interface WarmPool {
  /** Error of the failed start; undefined while the pool works. */
  readonly problem: string | undefined
  /** Host PID of the process that sandboxes are forked from. */
  readonly pid: number | undefined
  /** Resolves when sandboxes are ready, or when none can be started. */
  waitUntilSettled(): Promise<void>
  /** Ends all of them and starts no more. */
  stop(): Promise<void>
}

/** Describes the runs that a pool serves. */
export interface WarmOptions {
  env: SandboxRequest['env']
  /** Finds the interpreter of these runs. */
  interpreter(): Promise<Interpreter>
  /** Limits that most of these runs have. */
  limits?: Omit<Limits, 'wallMs'> | undefined
  /** Forks per zygote before it is replaced. */
  maxForks?: number | undefined
}

/** A way to run a guest. */
export interface Backend {
  name: Isolation['backend']
  /** One line, for people. */
  summary: string
  guarantees: BackendGuarantees
  /** First lines of the log of every run. */
  notes: readonly string[]
  /** Tests by trying whether the backend works on this machine. */
  probe(env: SandboxRequest['env'], container: ContainerSettings): Promise<BackendProbe>
  /** Resolves when the guest has received its job; rejects if the sandbox did not start. */
  start(request: SandboxRequest): Promise<SandboxProcess>
  /** Removes files that it keeps for later runs; none may be under way. */
  close?(): void | Promise<void>
  /** Keeps sandboxes ready for the runs that follow; absent if the backend cannot. */
  keepWarm?(options: WarmOptions): Promise<WarmPool>
}

/** A running sandbox. */
export interface SandboxProcess {
  readonly isolation: Isolation
  /** Frames from the harness: blobs, log lines and the result. */
  readonly channel: Readable
  /** Responses to requests of the harness. */
  readonly answers: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Undefined if the program has no stdin. */
  readonly stdin: Writable | undefined
  /** Processor time that all of its processes have used so far; undefined if nothing counts it. */
  countCpuMs?(): number | undefined
  /** Processes that the kernel has killed because memory ran out, and that it refused to create. */
  countKills?(): { memory: number; processes: number }
  /** Keeps this process from exiting only while `isHeld`, where the sandbox can do without it. */
  holdHost?(isHeld: boolean): void
  /** For programs with a terminal. */
  resize?(columns: number, rows: number): void
  /** Bytes of output that preceded the current wait for input; null if no process waits. */
  waitsAfter?(): Promise<number | null>
  /** Sends a signal to all processes of the program. */
  signal?(name: NodeJS.Signals): void
  /** Resolves once every process of the run is dead and its files are removed. */
  readonly exited: Promise<SandboxExit>
  /** Kills every process immediately. Safe to call at any time. */
  kill(why: EndReason): void
}
