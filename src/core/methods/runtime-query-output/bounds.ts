export const QUERY_DETAILS = ['compact', 'standard', 'full'] as const

/** Limits of the parameters. */
export const QUERY_BOUNDS = {
  handle: 1024,
  repoId: 128,
  terms: 10,
  term: 4096,
  maxExcerpts: [1, 100],
  contextLines: [0, 20],
  tail: [1, 1000],
} as const

export const DEFAULT_EXCERPTS = 10
export const DEFAULT_CONTEXT = 3
/** Lines of each stream for a query that says nothing else. */
export const DEFAULT_TAIL = 20
