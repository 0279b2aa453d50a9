import type { Writable } from 'node:stream'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { NotKept, StoredOutput } from '../outputs/store/output-store.ts'
import type { Limits, MountedFolder, Program, SandboxExit } from '../sandbox/backend.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { RunError } from './result.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'

/** A program that is to be run, and all that it is given. */
export interface ProgramPlan {
  /** What its record calls it. */
  kind: 'execute' | 'workspace'
  /** What was asked for, as the record keeps it; values that are too large are left out there. */
  asked: PlainObject
  /** Its environment may lack HOME, PATH, LANG and TMPDIR: they have values of their own then. */
  program: Omit<Program, 'stdin'>
  /** What it reads: nothing, this, or what is written to the controls' `stdin` while it runs. */
  stdin: Uint8Array | 'none' | 'open'
  /** They stand in the record; what they declare is granted as it is to a skill that is executed. */
  skills: readonly MountedSkill[]
  /** Copies of their folders lie under /skills. */
  mountsSkills: boolean
  folders: readonly MountedFolder[]
  /** Lies alone in /code, only to be read. */
  code?: { file: string; text: string } | undefined
  /** What the program needs of this machine besides /usr. */
  tools?: readonly { source: string; target: string }[] | undefined
  workspace?: { source: string } | undefined
  inputBlobs: readonly string[]
  /** In place of those of the configuration. */
  limits?: Partial<Limits> | undefined
  /** Destinations that it was granted besides what its skills declare. */
  network?: readonly string[] | undefined
  /** Values by the name of their variable, besides what its skills declare; redacted everywhere. */
  secrets?: Readonly<Record<string, string>> | undefined
  /** What the run's logs begin with. */
  notes?: readonly string[] | undefined
  /** Whose output it is: the registered repository that it works in, and its language. */
  repo?: string | undefined
  language?: string | undefined
  /** What it prints is kept for queries unless this is false. */
  keepsOutput?: boolean | undefined
  /** What it prints over the limit is dropped, and it goes on; else that ends it. */
  dropsOutput?: boolean | undefined
  /** Get all that it prints, redacted, as it comes; a slow one slows the program. */
  sinks: ProgramSinks
  /** A person sits at it: no timeout counts but theirs. */
  isAttended?: boolean | undefined
  /** Called once it runs. */
  onStarted?: ((controls: ProgramControls) => void) | undefined
}

export interface ProgramSinks {
  stdout(chunk: Buffer): void | Promise<void>
  /** Never called for a program with a terminal. */
  stderr(chunk: Buffer): void | Promise<void>
}

/** What can be done to a program while it runs. */
export interface ProgramControls {
  runId: string
  isolation: Isolation
  stdin: Writable | undefined
  resize(columns: number, rows: number): void
  /** Whether one of its processes waits for input right now. */
  isWaiting(): Promise<boolean>
  /** Asks all of its processes to end. */
  signal(name: NodeJS.Signals): void
}

/** How it ended; nothing of it lives any more. */
export interface ProgramOutcome {
  runId: string
  /** A program that ended by itself with another exit code than 0 failed. */
  status: 'success' | 'failure' | 'timeout' | 'cancelled'
  /** Null where it was ended from outside or by a signal. */
  exitCode: number | null
  signal: string | null
  durationMs: number
  isolation: Isolation | null
  /** Why it failed, where it is not its own exit code: a limit, a program that is not there. */
  error?: RunError | undefined
  /** All that it printed, whether it was taken or not. */
  stdoutBytes: number
  stderrBytes: number
  /** It printed more than it may: the rest was not taken. */
  truncated: boolean
  /** What is kept of its output, or why nothing is; undefined where nothing was to be. */
  output?: StoredOutput | NotKept | undefined
  /** `sha256:<hex>` of what it printed and was let through; nothing where it never began. */
  digests?: Readonly<Record<'stdout' | 'stderr', string>> | undefined
  /** What became of the copy of the workspace, where the call asked for one. */
  kept?: SandboxExit['kept']
}
