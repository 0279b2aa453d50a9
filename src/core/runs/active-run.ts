import type { BlobInfo } from '../storage/blob-store.ts'
import type { AuditedResult } from '../audit/audit-record.ts'
import type { LogSource } from './history/log-pieces.ts'
import type { FunctionJob, ProgramJob } from './job.ts'
import type { Permissions } from './resolve-permissions.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunCall } from './run-call.ts'
import type { RunTrace } from './trace.ts'

/** An authorized run, from its start until its last process is dead. */
export interface ActiveRun<J extends FunctionJob | ProgramJob = FunctionJob | ProgramJob> {
  id: string
  job: J
  call: RunCall
  permissions: Permissions
  redactor: Redactor
  /** True if runs of other callers get the processor first. */
  hasLowPriority: boolean
  /** Filled during the run, for its record. */
  trace: RunTrace
  /** Appends to the logs of the record. The bytes must be redacted. */
  log: (bytes: Uint8Array | string, source?: LogSource) => void
  /** Reports a change of state. */
  report: (state: 'running' | 'collecting') => void
}

/** Input blobs as files to mount. */
export type BlobFiles = readonly { name: string; path: string }[]

/** Result of a run whose processes are all dead. */
export interface EndedRun<Value> {
  /** The value that the caller receives. */
  value: Value | Promise<Value>
  /** Result for the run record; undefined if the run was cancelled. */
  result: RunResult | undefined
  blobs: readonly BlobInfo[]
  /** `sha256:<hex>` by name, for the audit log. */
  digests: Readonly<Record<string, string>>
  /** Result for the audit log, if it differs from the record. */
  audited?: AuditedResult | undefined
}
