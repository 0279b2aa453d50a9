import type { RunError } from '../../runs/result.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { ConversationRecord } from './conversation/record.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'

/** Facts about the run of a case, which its expectations judge. Every kind of case fills it. */
export interface CaseRecord {
  /** `refused`: the run did not start, such as for a policy. */
  status: 'completed' | 'failed' | 'refused'
  /** The returned value; undefined for programs, and for functions that failed. */
  result: Plain | undefined
  error: RunError | undefined
  /** Null for functions, and if a signal or the host ended the program. */
  exitCode: number | null
  /** Output of programs, after redaction. */
  stdout: string
  stderr: string
  /** Log lines of functions, after redaction: `[level] text`. */
  logs: string
  files: WorkspaceChanges
  blobs: readonly CreatedBlob[]
  /** Attempts to reach the network. */
  network: readonly NetworkDecision[]
  /** Calls of fake commands, in order. */
  calls: readonly FakeCall[]
  /** The fake secrets that the case passed, by name. */
  secrets: ReadonlyMap<string, string>
  durationMs: number
  /** Null if nothing was started. */
  isolation: Isolation | null
  /** Undefined for other kinds of cases, and for one that was refused. */
  conversation: ConversationRecord | undefined
}

/** The workspace after the run, compared with the files that the case put there. */
export interface WorkspaceChanges {
  /** False if no expectation needs the workspace, so that it was not copied. */
  isKnown: boolean
  created: readonly string[]
  changed: readonly string[]
  deleted: readonly string[]
  untouched: readonly string[]
  /** Reads a file that exists after the run; undefined if there is none. */
  read(path: string): Buffer | undefined
}

/** A blob that the run created. */
export interface CreatedBlob {
  kind: string
  sizeBytes: number
  bytes: Buffer
}

/** A call of a fake command. */
export interface FakeCall {
  command: string
  args: readonly string[]
}

export const NO_CHANGES: WorkspaceChanges = {
  isKnown: false,
  created: [],
  changed: [],
  deleted: [],
  untouched: [],
  read: () => undefined,
}

/** A record in which nothing happened. Kinds of cases replace what they know. */
export const EMPTY_RECORD: CaseRecord = {
  status: 'completed',
  result: undefined,
  error: undefined,
  exitCode: null,
  stdout: '',
  stderr: '',
  logs: '',
  files: NO_CHANGES,
  blobs: [],
  network: [],
  calls: [],
  secrets: new Map(),
  durationMs: 0,
  isolation: null,
  conversation: undefined,
}
