const DIGEST_KINDS = [
  'tsc',
  'node-test',
  'vitest',
  'pytest',
  'go-test',
  'cargo',
  'eslint',
  'npm',
  'gcc',
  'mypy',
  'ruff',
  'generic',
] as const
export type DigestKind = (typeof DIGEST_KINDS)[number]

/** One thing that failed. */
export interface DigestFailure {
  /** Of a test or a rule. */
  name?: string
  /** With slashes, below the root that was given. */
  file?: string
  line?: number
  /** Its first line, at most 200 characters. */
  message: string
}

/** What a build or a test run came to, the failures first. */
export interface Digest {
  kind: DigestKind
  /** Never true where the exit code says otherwise. */
  ok: boolean
  summary: string
  /** At most 20. */
  failures: readonly DigestFailure[]
  /** How many more there are. */
  truncatedFailures?: number
  /** Of output that no parser knows and that failed: at most 30 lines. */
  excerpt?: string
}
