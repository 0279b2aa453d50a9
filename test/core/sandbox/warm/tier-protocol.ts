import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import type { ProgramOutcome } from '../../../../src/core/runs/job.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

/** Options of the process that keeps a zygote. */
export interface TierOptions {
  base: string
  maxForks?: number
  settings?: Record<string, unknown>
}

/** One request to that process. */
export interface TierRequest {
  number: number
  what: 'run' | 'program' | 'settle' | 'stop'
  /** Python with a function `main`, or a shell command for a program. */
  code?: string
  args?: PlainObject
  cancelAfterMs?: number
  timeoutMs?: number
  /** In a sandbox of its own. */
  isCold?: boolean | undefined
  /** Output is reported while it runs. */
  tells?: boolean
}

/** Outcome and output of a program. */
export type TierProgramResult = Pick<
  ProgramOutcome,
  'status' | 'exitCode' | 'signal' | 'isolation' | 'durationMs'
> & { output: string }

/** Response; responses arrive in any order. */
export interface TierResponse {
  number: number
  /** Output so far; the result follows. */
  printed?: string
  result?: RunResult
  program?: TierProgramResult
  /** Host PID of the zygote. */
  pid?: number | undefined
  problem?: string | undefined
  thrown?: { code: string; message: string }
}
