import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

/** One run of the worker. */
export interface RunSpec {
  id: string
  /** Python source with a function `main`. */
  code: string
  /** `code` sends it as code in the request instead of as a skill. */
  as?: 'skill' | 'code'
  args?: PlainObject
  timeoutMs?: number
  settings?: Record<string, unknown>
  toml?: string
  files?: Record<string, string>
  /** Shell command that first runs in the skill's folder. */
  prepare?: string
  secrets?: Record<string, string>
  /** Stored and granted to the run; `args.ids` contains their ids. */
  blobs?: readonly string[]
  /** Stored but not granted; `args.others` contains their ids. */
  otherBlobs?: readonly string[]
  /** Ids that are requested unchanged. */
  blobIds?: readonly string[]
  keep?: boolean
  /** Runs alone, because the worker's memory is measured. */
  isAlone?: boolean
}

/** Report of one run. */
export interface RunReport {
  id: string
  result?: RunResult
  thrown?: { code: string; message: string }
  /** Log messages of the run and notices of the runtime. */
  logs: Extract<RunEvent, { type: 'log' }>[]
  notes: string[]
  /** MIME types and contents of output blobs, as latin1. */
  blobs: { kind: string; content: string }[]
  /** Paths in the copy of the workspace. */
  kept?: string[]
  /** Peak growth of the worker's own memory, in bytes. */
  grownBytes: number
}
