import type { Writable } from 'node:stream'
import type { OutputNotKept, StoredOutput } from '../outputs/store/output-store.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type {
  HostFolder,
  Limits,
  ProgramFile,
  SandboxExit,
  SandboxProgram,
} from '../sandbox/backend.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import { findSkillLanguage, type SkillLanguageName } from '../skills/manifest/skill-languages.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import type { RequestAnswerer } from '../sandbox/egress/answers/request-answerer.ts'
import type { KernelLanguage } from './kernels/kernel-language.ts'
import type { GuestToolchains } from './guest-toolchains.ts'
import type { RedactionCounts } from './redaction/redaction-counts.ts'
import type { RunError } from './result.ts'

/** Something to run, as an operation requests it. Nothing is authorized yet. */
export type Job = FunctionJob | ProgramJob | PreparedJob

/** A function call: the entrypoint of a skill, or a function of submitted code. */
export interface FunctionJob extends FunctionSetup {
  kind: 'execute_skill' | 'run_code'
  target: FunctionTarget
  /** All skills under /skills, including the target. */
  skills: readonly MountedSkill[]
  args: PlainObject | undefined
  inputBlobs: readonly string[]
  timeoutMs: number | undefined
  /** The interpreter that executes the code as a cell; without it, the code has a fresh sandbox. */
  kernel?: KernelUse | undefined
  /** Files of a session, in place of a workspace of its own. */
  session?: SessionFolder | undefined
}

/** Additions of a test to the sandbox of a function. */
export interface FunctionSetup {
  /**
   * Created before the function is called, at paths below the workspace. Existing files are not
   * replaced.
   */
  files?: readonly ProgramFile[] | undefined
  /** Replaces the clock and the seed of random numbers, for repeatable tests. */
  fixed?: FixedValues | undefined
  /** Folders inside that are first on PATH. */
  path?: readonly string[] | undefined
  /** Python source that the harness executes before the code, and whose `write` it calls after it. */
  trace?: string | undefined
}

/** Additions of tests and debuggers to all runs of their services. */
export interface RunInstruments {
  /** Answers all requests of a run, which itself connects to no destination. */
  answerer?: RequestAnswerer | undefined
  /** Additions to each function, also to one that a tool calls. */
  setup?: FunctionSetup | undefined
  /** Lets a debugger connect to the Node process of a skill. */
  inspect?: { port: number | undefined } | undefined
}

/** Values that a function sees instead of those of the machine. */
export interface FixedValues {
  seed: number
  /** Milliseconds since 1970, at which the clock stands still; undefined for the real clock. */
  nowMs: number | undefined
}

/** A cell of a kernel. */
export interface KernelUse {
  /** Key of the caller, whose kernels no other caller reaches. */
  owner: string
  id: string
  language: KernelLanguage
  code: string
}

export type FunctionTarget =
  | { kind: 'skill'; skill: MountedSkill }
  | { kind: 'code'; language: SkillLanguageName; code: string; entrypoint: string }

/** Facts about a program before authorization. */
interface ProgramFacts {
  kind: 'execute' | 'workspace'
  /** Permissions that these skills declare are granted as for an executed skill. */
  skills: readonly MountedSkill[]
  /** The registered repository of the program. */
  repo?: string | undefined
  language?: string | undefined
}

/** A program with all its inputs. */
export interface ProgramJob extends ProgramFacts {
  /** Arguments for the run record, which omits oversized values. */
  recordedArgs: PlainObject
  /** HOME, PATH, LANG and TMPDIR have defaults. */
  program: Omit<SandboxProgram, 'stdin'>
  /** Standard input: none, these bytes, or open for writes to the `stdin` of the controls. */
  stdin: Uint8Array | 'none' | 'open'
  /** True if the folders of the skills are copied to /skills. */
  mountsSkills: boolean
  folders: readonly HostFolder[]
  /** One file in /code, read-only. */
  code?: { file: string; text: string } | undefined
  /** Files of the host to mount besides /usr. */
  tools?: readonly { source: string; target: string }[] | undefined
  /** Present if the tools include the user's toolchains, whose credentials are covered. */
  toolchains?: GuestToolchains | undefined
  workspace?: { source: string } | undefined
  inputBlobs: readonly string[]
  /** Overrides of the configured limits. */
  limits?: Partial<Limits> | undefined
  /** Granted destinations besides those that its skills declare. */
  network?: readonly string[] | undefined
  /** Secret variables besides those that its skills declare. Redacted in all output. */
  secrets?: Readonly<Record<string, string>> | undefined
  /** First lines of the logs. */
  notes?: readonly string[] | undefined
  /** The sandbox that the program shares with others; without it, it gets one of its own. */
  shared?: SharedSandboxUse | undefined
  /** Called with each permission that the program does not get, and why, before it starts. */
  onNote?: ((text: string) => void) | undefined
  /** False if the output is not stored for queries. */
  keepsOutput?: boolean | undefined
  /** True to drop output above the limit and continue; otherwise the limit ends the program. */
  dropsOutput?: boolean | undefined
  /** Receive all redacted output as it arrives. A slow sink slows the program. */
  sinks: ProgramSinks
  /** True if a user is at the terminal. The configured timeouts do not apply then. */
  isAttended?: boolean | undefined
  onStarted?: ((controls: ProgramControls) => void) | undefined
}

/** A program that is prepared only after the policy has allowed it. */
export interface PreparedJob extends ProgramFacts {
  /** Input of the policy besides that of every run. */
  request: Pick<PolicyRequest, 'executable' | 'cwd' | 'timeoutMs'>
  /** Code, arguments and input. The audit log stores their digests; approvers see the text. */
  inputs: Readonly<Record<string, Plain>>
  /** Destinations that the operator's policy opens for it. */
  network?: readonly string[] | undefined
  /** Finds or compiles the program; returns the outcome if that fails. */
  prepare(allowed: Allowance): Promise<ProgramJob | ProgramOutcome>
}

/** Passed from the authorization of a prepared job to its preparation. */
export interface Allowance {
  timeoutMs: number
  outputBytes: number
  auditHash: string
  /** Runs a step, such as a compiler, under the same authorization and with its own record. */
  perform: (step: ProgramJob, keepIn: string) => Promise<ProgramOutcome>
}

/** The files of a session, which its commands, code and programs share. */
export interface SessionFolder {
  workspace: { source: string }
  /** Folders that are mounted in it, such as skills. */
  folders: readonly HostFolder[]
  /** Keeps the folder from being removed until the returned function is called. */
  hold(): () => void
}

/** Use of a sandbox that serves the programs of one session. */
export interface SharedSandboxUse {
  /** Key of the session. */
  session: string
  /** Changes when the content of a mounted folder is replaced by another folder. */
  revision: string
  /** Keeps the session's folders from being removed until the returned function is called. */
  acquire(): ReleaseSession
  /** Receives what the caller should know about the sandbox, such as that it is a new one. */
  warn(text: string): void
}

/** Ends the use of a session's folders by a sandbox. */
export type ReleaseSession = (end: {
  /** True if the session has no other sandbox. */
  isLast: boolean
  /** True if the whole runtime is stopping. */
  isStopped: boolean
}) => void

export interface ProgramSinks {
  stdout(chunk: Buffer): void | Promise<void>
  /** Never called for a program with a terminal. */
  stderr(chunk: Buffer): void | Promise<void>
}

/** Controls of a running program. */
export interface ProgramControls {
  runId: string
  isolation: Isolation
  stdin: Writable | undefined
  resize(columns: number, rows: number): void
  /** True while one of its processes waits for input. */
  isWaiting(): Promise<boolean>
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): void
}

/** Outcome of a program, when all its processes are dead. */
export interface ProgramOutcome {
  runId: string
  /** A nonzero exit code is a failure. */
  status: 'success' | 'failure' | 'timeout' | 'cancelled'
  /** Null if the host or a signal ended it. */
  exitCode: number | null
  signal: string | null
  durationMs: number
  isolation: Isolation | null
  /** A cause other than its exit code: a limit, a missing program. */
  error?: RunError | undefined
  /** Bytes of output before truncation. */
  stdoutBytes: number
  stderrBytes: number
  /** True if output above the limit was dropped. */
  truncated: boolean
  /** Dropped bytes of each stream; undefined if nothing started. */
  omitted?: Readonly<Record<'stdout' | 'stderr', number>> | undefined
  /**
   * The stored output, or the reason why it was not stored; undefined if no storage was requested.
   */
  output?: StoredOutput | OutputNotKept | undefined
  /** Masked texts of the output; undefined if nothing started. */
  redactions?: RedactionCounts | undefined
  /** `sha256:<hex>` of the output after truncation; undefined if nothing started. */
  digests?: Readonly<Record<'stdout' | 'stderr', string>> | undefined
  /** Bytes sent and received; undefined if it had no network. */
  networkBytes?: number | undefined
  /** The copy of the workspace, if the call requested one. */
  kept?: SandboxExit['kept']
}

export function isFunctionJob(job: Job): job is FunctionJob {
  return 'target' in job
}

/** Returns the language of a called function. */
export function resolveTargetLanguage(target: FunctionTarget): SkillLanguageName {
  if (target.kind === 'code') return target.language
  return findSkillLanguage(target.skill.manifest.runtime?.language)?.name ?? 'python'
}

/** Returns the language for policies and audit records. Command lines of workspaces are shell. */
export function resolvePolicyLanguage(job: Job): string | undefined {
  if (isFunctionJob(job)) return resolveTargetLanguage(job.target)
  return job.language ?? (job.kind === 'workspace' ? 'shell' : undefined)
}
