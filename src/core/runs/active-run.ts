import type { BlobInfo } from '../storage/blob-store.ts'
import type { AuditedResult } from '../audit/audit-record.ts'
import type { LogSource } from './history/log-pieces.ts'
import type { FunctionJob, ProgramJob } from './job.ts'
import type { Permissions } from './resolve-permissions.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunCall } from './run-call.ts'
import type { RunTrace } from './trace.ts'

/** A run that was let through, from its start to the death of its last process. */
export interface ActiveRun<J extends FunctionJob | ProgramJob = FunctionJob | ProgramJob> {
  id: string
  job: J
  call: RunCall
  permissions: Permissions
  redactor: Redactor
  /** Filled while the run goes on, for its record. */
  trace: RunTrace
  /** Adds to the logs of its record, redacted bytes only. */
  log: (bytes: Uint8Array | string, source?: LogSource) => void
  /** Reports that the run has come to this state. */
  report: (state: 'running' | 'collecting') => void
}

/** Input blobs as files to mount. */
export type BlobFiles = readonly { name: string; path: string }[]

/** What came of a run whose processes are all dead. */
export interface EndedRun<Value> {
  /** What the caller gets. */
  value: Value | Promise<Value>
  /** As records keep it; undefined where the run was cancelled. */
  result: RunResult | undefined
  blobs: readonly BlobInfo[]
  /** `sha256:<hex>` by name, for the audit log. */
  digests: Readonly<Record<string, string>>
  /** The result in the audit log, where it differs from what the record says. */
  audited?: AuditedResult | undefined
}
