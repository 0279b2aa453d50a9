import type { PlainObject } from '../../../../src/core/manifest/manifest.ts'
import type { RunResult } from '../../../../src/core/run/result.ts'

/** How the process is started that keeps a zygote. */
export interface TierOptions {
  base: string
  mostForks?: number
  settings?: Record<string, unknown>
}

/** One thing that it is asked. */
export interface Asked {
  number: number
  what: 'run' | 'settle' | 'stop'
  code?: string
  args?: PlainObject
  cancelAfterMs?: number
  timeoutMs?: number
  /** In a sandbox of its own. */
  isCold?: boolean
  /** What it prints is told while it runs. */
  tells?: boolean
}

/** What it answers, in any order. */
export interface Answer {
  number: number
  /** What the run printed; its answer is still to come. */
  said?: string
  result?: RunResult
  /** The zygote's, as the host numbers it. */
  pid?: number | undefined
  problem?: string | undefined
  thrown?: { code: string; message: string }
}
