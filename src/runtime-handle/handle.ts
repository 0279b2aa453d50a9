import type { SkillCommandParams, SkillRunResult } from '../core/methods/skill-run/definition.ts'
import type { Readable } from 'node:stream'
import type { MethodParams } from '../core/methods/define-method.ts'
import type { CallResult, Definitions, MethodName } from '../core/methods/definitions.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { RunInstruments } from '../core/runs/job.ts'
import type { SkillReader } from '../core/skill-context/skill-reader.ts'
import type { Manifest } from '../core/skills/manifest/manifest.ts'
import type { Repository, SkillEntry } from '../core/skills/repository/repository.ts'
import type { SkillSessionOptions } from '../core/workspaces/sessions/skill-exec.ts'

/** A runtime, in this process or remote. */
export interface RuntimeHandle {
  /** Calls a method. */
  call<Name extends MethodName, Params extends MethodParams<Definitions[Name]>>(
    method: Name,
    params: Params,
    io?: CallIo,
  ): Promise<CallResult<Name, Params>>
  /** Starts an interactive command of a skill. */
  openSession(params: SkillCommandParams, io: SessionIo): Promise<InteractiveSession>
  readonly skills: SkillPort
  readonly blobs: BlobPort
}

/**
 * Signal, grants and event listener of one call. A remote runtime ignores grants and local folders.
 */
export type CallIo = Pick<RunCall, 'signal' | 'grants' | 'keepIn' | 'interactive' | 'onEvent'> &
  Pick<RunInstruments, 'inspect'>

/** A remote runtime ignores the grants. */
export type SessionIo = Omit<SkillSessionOptions, 'call'> & Pick<RunCall, 'grants'>

/** A running command that accepts input. */
export interface InteractiveSession {
  readonly started: Promise<void>
  readonly ended: Promise<void>
  readonly isRunning: boolean
  /** Returns false if the caller should wait for `drained`. */
  writeBytes(bytes: Buffer): boolean
  drained(): Promise<void>
  endInput(): void
  resize(columns: number, rows: number): void
  kill(graceMs: number): Promise<boolean>
  /** Waits for the end. Throws if the command could not run. */
  result(): Promise<{ result?: SkillRunResult; exit_code?: number }>
}

/** The skills of a runtime. Entries of a remote runtime have an empty `dir` and `root`. */
export interface SkillPort extends SkillReader, Pick<Repository, 'list' | 'problems'> {
  manifest(entry: SkillEntry): Promise<Manifest>
  describe(entry: SkillEntry): Promise<SkillDescription>
}

/** All details of a skill. */
export interface SkillDescription {
  manifest: Manifest
  versions: readonly string[]
  files: readonly { path: string; size: number }[]
  /** Content of SKILL.md; undefined if the skill has none. */
  markdown: string | undefined
  /** Set for local skills only. */
  dir?: string
  root?: string
}

/** The blobs of a runtime, as streams. */
export interface BlobPort {
  put(source: AsyncIterable<Uint8Array>, kind: string): Promise<BlobSummary>
  info(id: string): Promise<BlobSummary>
  read(id: string): Promise<Readable>
}

/** Metadata of a blob; null for values that the runtime does not report. */
export interface BlobSummary {
  id: string
  kind: string
  size: number
  digest: string | null
  createdAt: string | null
  expiresAt: string | null
}
