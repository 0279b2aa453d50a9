export const EXECUTE_DETAILS = ['compact', 'standard', 'full'] as const

/** Bounds of the parameters. */
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
