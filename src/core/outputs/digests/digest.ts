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
  'tap',
  'mocha',
  'rspec',
  'phpunit',
  'maven',
  'gradle',
  'dotnet',
  'compiler',
  'generic',
] as const
export type DigestKind = (typeof DIGEST_KINDS)[number]

/** One failed test, file or rule. */
export interface DigestFailure {
  /** Name of the test or rule. */
  name?: string
  /** With forward slashes, relative to the root folder. */
  file?: string
  line?: number
  /** First line of the message, at most 200 characters. */
  message: string
}

/** Summary of a build or test run, failures first. */
export interface Digest {
  kind: DigestKind
  /** False whenever the exit code is not 0. */
  ok: boolean
  summary: string
  /** At most 20. */
  failures: readonly DigestFailure[]
  /** Number of failures beyond the limit. */
  truncatedFailures?: number
  /** At most 30 lines of a failed command's output that no parser recognized. */
  excerpt?: string
}
