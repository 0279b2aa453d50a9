import { resolveFixedValues } from '../../core/testing/suites/parse-suite.ts'

/** Values of every documented case: it has the fixed clock and seed, and no inputs but its arguments. */
export const DOCUMENTED_VALUES = {
  tags: ['docs'],
  timeoutMs: undefined,
  fixed: resolveFixedValues(),
  files: new Map(),
  fakes: new Map(),
  blobs: new Map(),
  secrets: new Map(),
} as const
