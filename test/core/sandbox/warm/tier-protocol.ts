import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import type { ProgramOutcome } from '../../../../src/core/runs/job.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'

/** How the process is started that keeps a zygote. */
export interface TierOptions {
  base: string
  mostForks?: number
  settings?: Record<string, unknown>
}

/** One thing that it is asked. */
export interface Asked {
  number: number
  what: 'run' | 'program' | 'settle' | 'stop'
  /** Python with a function `main`, or words of a shell for a program. */
  code?: string
  args?: PlainObject
  cancelAfterMs?: number
  timeoutMs?: number
  /** In a sandbox of its own. */
  isCold?: boolean | undefined
  /** What it prints is told while it runs. */
  tells?: boolean
}

/** How a program ended, and what it printed. */
export type ToldProgram = Pick<
  ProgramOutcome,
  'status' | 'exitCode' | 'signal' | 'isolation' | 'durationMs'
> & { output: string }

/** What it answers, in any order. */
export interface Answer {
  number: number
  /** What the run printed; its answer is still to come. */
  said?: string
  result?: RunResult
  program?: ToldProgram
  /** The zygote's, as the host numbers it. */
  pid?: number | undefined
  problem?: string | undefined
  thrown?: { code: string; message: string }
}
