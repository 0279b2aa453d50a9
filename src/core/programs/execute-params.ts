import type { LanguageName } from '../languages/language.ts'
import type { OutputMode } from '../outputs/view/excerpt.ts'

/** What `runtime.execute` is asked for. */
export interface ExecuteParams {
  /** Name of a registered repository; without one, the run starts in an empty folder. */
  repoId?: string | undefined
  runtime: LanguageName
  /** In place of the language's own program; outweighs `command`. */
  executable?: string | undefined
  command?: string | undefined
  args?: readonly string[] | undefined
  code?: string | undefined
  stdin?: string | undefined
  relativeCwd?: string | undefined
  timeoutMs?: number | undefined
  queryTerms?: readonly string[] | undefined
  contextLines?: number | undefined
  maxResponseLines?: number | undefined
  persistOutput?: boolean | undefined
  outputMode?: OutputMode | undefined
  includeDiagnostics?: boolean | undefined
  detail?: ExecuteDetail | undefined
}

export const EXECUTE_DETAILS = ['compact', 'standard', 'full'] as const
export type ExecuteDetail = (typeof EXECUTE_DETAILS)[number]

/** What each parameter may be. */
export const EXECUTE_BOUNDS = {
  repoId: 128,
  args: 100,
  code: 1_048_576,
  stdinBytes: 524_288,
  timeoutMs: [100, 600_000],
  queryTerms: 10,
  queryTerm: 4096,
  contextLines: [0, 20],
  maxResponseLines: [5, 1000],
} as const

export const DEFAULT_CONTEXT_LINES = 3
export const DEFAULT_RESPONSE_LINES = 100
