import type { Writable } from 'node:stream'
import type { OutputNotKept, StoredOutput } from '../outputs/store/output-store.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type { Limits, HostFolder, SandboxProgram, SandboxExit } from '../sandbox/backend.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import { findSkillLanguage, type SkillLanguageName } from '../skills/manifest/skill-languages.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import type { RunError } from './result.ts'

/** One thing to run, as an operation asks for it: nothing of it is decided yet. */
export type Job = FunctionJob | ProgramJob | PreparedJob

/** A call of a function: the entrypoint of a skill, or a function of given code. */
export interface FunctionJob {
  kind: 'execute_skill' | 'run_code'
  target: FunctionTarget
  /** Everything under /skills, a target that is a skill included. */
  skills: readonly MountedSkill[]
  args: PlainObject | undefined
  inputBlobs: readonly string[]
  timeoutMs: number | undefined
}

export type FunctionTarget =
  | { kind: 'skill'; skill: MountedSkill }
  | { kind: 'code'; language: SkillLanguageName; code: string; entrypoint: string }

/** What is known of a program before it is authorized. */
interface ProgramFacts {
  kind: 'execute' | 'workspace'
  /** What its skills declare is granted as it is to a skill that is executed. */
  skills: readonly MountedSkill[]
  /** The registered repository that it works in. */
  repo?: string | undefined
  language?: string | undefined
}

/** A program with all that it is given. */
export interface ProgramJob extends ProgramFacts {
  /** The request as the record shows it; values that are too large are left out there. */
  asked: PlainObject
  /** HOME, PATH, LANG and TMPDIR have defaults of their own. */
  program: Omit<SandboxProgram, 'stdin'>
  /** Standard input: none, these bytes, or what is written to the controls' `stdin` while it runs. */
  stdin: Uint8Array | 'none' | 'open'
  /** Copies of the skills' folders lie under /skills. */
  mountsSkills: boolean
  folders: readonly HostFolder[]
  /** A file alone in /code, read-only. */
  code?: { file: string; text: string } | undefined
  /** Files of this machine besides /usr. */
  tools?: readonly { source: string; target: string }[] | undefined
  workspace?: { source: string } | undefined
  inputBlobs: readonly string[]
  /** Overrides of the configured limits. */
  limits?: Partial<Limits> | undefined
  /** Granted destinations besides those that its skills declare. */
  network?: readonly string[] | undefined
  /** Secret variables besides those that its skills declare; redacted everywhere. */
  secrets?: Readonly<Record<string, string>> | undefined
  /** First lines of the run's logs. */
  notes?: readonly string[] | undefined
  /** False where its output is not stored for queries. */
  keepsOutput?: boolean | undefined
  /** Output over the limit is dropped and the program goes on; otherwise the limit ends it. */
  dropsOutput?: boolean | undefined
  /** Receive all output, redacted, as it comes; a slow sink slows the program. */
  sinks: ProgramSinks
  /** A person sits at the terminal: no timeout counts but theirs. */
  isAttended?: boolean | undefined
  onStarted?: ((controls: ProgramControls) => void) | undefined
}

/** A program that is put together only after the policy has allowed it. */
export interface PreparedJob extends ProgramFacts {
  /** What the policy is asked besides what every run has. */
  request: Pick<PolicyRequest, 'executable' | 'cwd' | 'timeoutMs'>
  /** Code, arguments and input: their digests are logged, approvers see them. */
  inputs: Readonly<Record<string, string>>
  /** Finds or compiles the program, or answers with the outcome of what failed. */
  prepare(allowed: Allowance): Promise<ProgramJob | ProgramOutcome>
}

/** What the authorization of a prepared job gives to its preparation. */
export interface Allowance {
  timeoutMs: number
  outputBytes: number
  auditHash: string
  /** Runs a step, such as a compiler, under the same authorization and with a record of its own. */
  perform: (step: ProgramJob, keepIn: string) => Promise<ProgramOutcome>
}

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
  /** Sends a signal to all of its processes. */
  signal(name: NodeJS.Signals): void
}

/** The end of a program, when none of its processes lives any more. */
export interface ProgramOutcome {
  runId: string
  /** A program that exits by itself with another code than 0 is a failure. */
  status: 'success' | 'failure' | 'timeout' | 'cancelled'
  /** Null where it was ended from outside or by a signal. */
  exitCode: number | null
  signal: string | null
  durationMs: number
  isolation: Isolation | null
  /** A cause other than its own exit code: a limit, a missing program. */
  error?: RunError | undefined
  /** Bytes of output before truncation. */
  stdoutBytes: number
  stderrBytes: number
  /** Output over the limit was dropped. */
  truncated: boolean
  /** The stored output, or why there is none; undefined where none was wanted. */
  output?: StoredOutput | OutputNotKept | undefined
  /** `sha256:<hex>` of the output after truncation; undefined where nothing began. */
  digests?: Readonly<Record<'stdout' | 'stderr', string>> | undefined
  /** The copy of the workspace, where the call asked for one. */
  kept?: SandboxExit['kept']
}

export function isFunctionJob(job: Job): job is FunctionJob {
  return 'target' in job
}

/** The language of a called function. */
export function resolveTargetLanguage(target: FunctionTarget): SkillLanguageName {
  if (target.kind === 'code') return target.language
  return findSkillLanguage(target.skill.manifest.runtime?.language)?.name ?? 'python'
}

/** The language that policies and audit records name. Command lines of workspaces are shell. */
export function resolvePolicyLanguage(job: Job): string | undefined {
  if (isFunctionJob(job)) return resolveTargetLanguage(job.target)
  return job.language ?? (job.kind === 'workspace' ? 'shell' : undefined)
}
