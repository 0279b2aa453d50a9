import type { Readable, Writable } from 'node:stream'
import type { BackendName, Isolation } from './isolation.ts'
import type { SandboxNetwork } from './network.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** Every limit that a run has. */
export interface Limits {
  wallMs: number
  /** Of the run where a control group counts it, else of each process. */
  cpuMs: number
  memoryBytes: number
  /** Of all runs on this machine together; a share of what it has unless given. */
  totalMemoryBytes: number | undefined
  processes: number
  /** Of each process. */
  openFiles: number
  workspaceBytes: number
  /** Files and folders in all that a run can write to. */
  inodes: number
  outputBytes: number
}

/** The Python that runs a skill, as the sandbox sees it. */
export interface Interpreter {
  /** Path inside. */
  executable: string
  version: string
  /** Folders of the host that it needs besides /usr, and what they are called inside. */
  mounts: readonly { source: string; target: string }[]
  /** Folders of installed packages, as paths inside. */
  packages: readonly string[]
  /** Where its shared libraries may lie, as a path inside. */
  libraries: string | undefined
  /** The guest's modules, compiled by it: base64 by file name. */
  compiled: ReadonlyMap<string, string>
}

/** What the operator says about containers. */
export interface ContainerSettings {
  engine: 'auto' | 'docker' | 'podman'
  /** Has its own Python; without one, the host's /usr is mounted read-only. */
  image: string | undefined
}

/** A program in the place of the Python harness. */
export interface SandboxProgram {
  /** The first one is its path inside. */
  argv: readonly string[]
  /** A folder inside; made where its parent can be written to. */
  cwd: string
  /** Made by the program's own user before it starts, as far as it may; files without what was there. */
  prepare?: { folders: readonly string[]; files: readonly ProgramFile[] } | undefined
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  /** `pipe`: what is written to the sandbox's `stdin`, until that is ended. */
  stdin: 'none' | 'pipe'
  /** With a terminal of its own, by which it also reads; its output then comes by `stdout` alone. */
  terminal?: { columns: number; rows: number } | undefined
}

/** A file that a program finds. */
export interface ProgramFile {
  path: string
  text: string
  isProgram: boolean
}

/** A folder of the host that a run sees. */
export interface HostFolder {
  source: string
  /** Its path inside. Below a folder that can be written to, it has to be there already. */
  target: string
  /** `overlay`: what the run writes is its own and bounded; the original never changes. */
  mode: 'read-only' | 'read-write' | 'overlay'
  /** Whoever a run is may read all of it: nothing has to be done for that. */
  isPublic?: boolean
  /** What is written there counts as what is written to the workspace. */
  isCounted?: boolean
}

/** What a sandbox runs. */
export interface SandboxRequest {
  id: string
  /** Runs this, and no harness; `job` is not looked at then. */
  program?: SandboxProgram | undefined
  /** An outer one before those inside of it. */
  folders?: readonly HostFolder[] | undefined
  /** Lies alone in /code, only to be read. */
  code?: { file: string; text: string } | undefined
  /** What the operator's programs need of this machine besides /usr: they may lie anywhere inside. */
  tools?: readonly { source: string; target: string }[] | undefined
  /** A folder that is /workspace in place of a fresh one, and stays. */
  workspace?: { source: string } | undefined
  /** Their folders are copied, so nothing that changes meanwhile is seen. */
  skills: readonly { name: string; dir: string }[]
  /** Finds the host's interpreter, where it is the one that is used. */
  interpreter(): Promise<Interpreter>
  /** Handed to the guest as it is; never appears in argv or environment. */
  job: PlainObject
  /** Granted blobs: the name under /blobs, and the file. */
  blobs: readonly { name: string; path: string }[]
  limits: Limits
  /** The caller's environment: where programs are found. */
  env: Readonly<Record<string, string | undefined>>
  container: ContainerSettings
  /** Nothing is started unless control groups bound the run. */
  strict: boolean
  /** Ends a start that takes long; what has started is ended by its own `kill`. */
  signal?: AbortSignal | undefined
  /** A folder, not there yet, that the workspace is copied to in the end. */
  keepIn?: string | undefined
  /** The run's way out; only for a backend that filters, and without it there is no network. */
  network?: SandboxNetwork | undefined
}

/** Why a run was ended from outside. */
export type EndReason =
  | 'cancelled'
  | 'wall'
  | 'output'
  | 'memory'
  | 'cpu'
  | 'inodes'
  /** A folder that stays grew over its limit. */
  | 'disk'
  | 'blobs'
  | 'channel'

/** How it ended; known only when every process of the run is dead. */
export interface SandboxExit {
  /** The skill's own end, as PID 1 saw it; both null where it was never told. */
  exitCode: number | null
  signal: number | null
  /** The first reason for which it was ended from outside. */
  endedBecause: EndReason | undefined
  /** The kernel ended processes because memory ran out. */
  memoryHit: boolean
  /** It ran out for all runs together, not for this one alone. */
  totalHit: boolean
  /** The kernel refused a process or thread. */
  processesHit: boolean
  /** It still did so right before the end. */
  processesHitLast: boolean
  /** Processor time that was used, as far as it was counted. */
  cpuMs: number | undefined
  /** Why the sandbox itself failed, if it did. */
  failure: string | undefined
  /** Why the program was not started: `folder`, `limits` or `program`, and the kernel's name of the error. */
  notStarted?: { step: string; error: string } | undefined
  /** What became of the copy of the workspace, where one was asked for. */
  kept?: { leftOut: number } | { problem: string } | undefined
}

/** What a backend keeps a run from, and how far its limits reach; asserted by its tests. */
export interface BackendGuarantees {
  /** The best that it gives; the result of a run says what it was given. */
  tier: Isolation['tier']
  isolates: Readonly<Record<IsolatedResource, boolean>>
  /** Can hold a run to a list of destinations. */
  filtersNetwork: boolean
  limits: Readonly<Record<LimitedResource, LimitScope>>
}

/** What a run can be kept from. */
export type IsolatedResource =
  /** Files of the host, other than what is mounted. */
  | 'files'
  | 'network'
  /** Processes of the host; and none of the run outlives it, whatever it does. */
  | 'processes'
  /** The rights of the user who started it. */
  | 'user'
  /** System calls that ordinary code has no use for. */
  | 'system calls'

/** What a limit is set on. */
export type LimitedResource =
  | 'time'
  | 'cpu'
  | 'memory'
  | 'processes'
  | 'open files'
  | 'disk'
  | 'output'

/** Over the whole run, over each process or file of it, or not held everywhere. */
type LimitScope = 'run' | 'each process' | 'each file' | 'where control groups allow'

/** Whether a backend can be used on this machine. */
export interface BackendProbe {
  ok: boolean
  /** What was found, for people. */
  detail: string
  /** What to type where it is not good. */
  fix?: string | undefined
}

/** Sandboxes that a backend holds ready, so that later runs start sooner. */
export interface WarmPool {
  /** Why there are none, in the words of what did not start. */
  readonly problem: string | undefined
  /** The process that they are forked from, as the host numbers it. */
  readonly pid: number | undefined
  /** Resolves when there are some, or it is known that there can be none. */
  waitUntilSettled(): Promise<void>
  /** Ends all of them; no others follow. */
  stop(): Promise<void>
}

/** Which runs a pool is for. */
export interface WarmOptions {
  env: SandboxRequest['env']
  /** Finds the interpreter that they will have. */
  interpreter(): Promise<Interpreter>
  /** Of most of them. */
  limits?: Omit<Limits, 'wallMs'> | undefined
  /** Forks of one process, before another one takes its place. */
  mostForks?: number | undefined
}

/** A way to run a guest; what it keeps from the host is its own. */
export interface Backend {
  name: BackendName
  /** For people, in one line. */
  summary: string
  promises: BackendGuarantees
  /** What the log of every run begins with. */
  notes: readonly string[]
  /** Really looks whether it can be used here. */
  probe(env: SandboxRequest['env'], container: ContainerSettings): Promise<BackendProbe>
  /** Resolves when the guest has its job; rejects where the sandbox did not come up. */
  start(request: SandboxRequest): Promise<SandboxProcess>
  /** Holds sandboxes ready for the runs that it starts from now on; missing where it can hold none. */
  keepWarm?(options: WarmOptions): Promise<WarmPool>
}

/** A sandbox that is running. */
export interface SandboxProcess {
  readonly isolation: Isolation
  /** Frames of the harness: blobs, log lines and the result. */
  readonly channel: Readable
  /** Answers to the harness's questions. */
  readonly answers: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Of a program that has one. */
  readonly stdin: Writable | undefined
  /** Of a program with a terminal. */
  resize?(columns: number, rows: number): void
  /** How many bytes the program had printed when one began to wait for input; null where none waits. */
  waitsAfter?(): Promise<number | null>
  /** Asks all processes of the program to end, by this signal. */
  signal?(name: NodeJS.Signals): void
  /** Resolves once every process of the run is dead and nothing of it is left. */
  readonly exited: Promise<SandboxExit>
  /** Ends everything at once. Safe to call at any time. */
  kill(why: EndReason): void
}
