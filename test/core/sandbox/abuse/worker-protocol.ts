import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

/** One run for the worker. */
export interface RunSpec {
  id: string
  /** Python with a function `main`. */
  code: string
  /** `code` sends it as given code instead of as a skill. */
  as?: 'skill' | 'code'
  args?: PlainObject
  timeoutMs?: number
  settings?: Record<string, unknown>
  toml?: string
  files?: Record<string, string>
  /** A shell's words, run in the skill's folder before. */
  prepare?: string
  secrets?: Record<string, string>
  /** Stored before and granted to the run; `args.ids` are their ids. */
  blobs?: readonly string[]
  /** Stored before and not granted; `args.others` are their ids. */
  otherBlobs?: readonly string[]
  /** Ids that are asked for as they are. */
  blobIds?: readonly string[]
  keep?: boolean
  /** Not beside others: its share of the worker's memory is looked at. */
  isAlone?: boolean
}

/** What came of it. */
export interface RunReport {
  id: string
  result?: RunResult
  thrown?: { code: string; message: string }
  /** What the run said, and the runtime about it. */
  logs: Extract<RunEvent, { type: 'log' }>[]
  notes: string[]
  /** Kinds and contents of output blobs, as latin1. */
  blobs: { kind: string; content: string }[]
  /** Paths in the kept copy of the workspace. */
  kept?: string[]
  /** The worst growth of the worker's own memory. */
  grownBytes: number
}
