import type { Digest } from '../digests/digest.ts'
import type { Excerpt, OutputMode, StreamName } from './excerpt.ts'

export { OUTPUT_MODES, type Excerpt, type OutputMode } from './excerpt.ts'

/** What of an output is wanted in the answer of the run itself. */
export interface OutputViewOptions {
  mode: OutputMode
  /** Of a summary: 5 to 1,000. */
  maxLines: number
  queryTerms: readonly string[]
  /** Around each match, of intent; a summary has three. */
  contextLines: number
  /** What was run, for the digest: executable and arguments, or the first line of code. */
  command?: string | undefined
  /** Paths in a digest lose it. */
  root?: string | undefined
}

/** What the answer shows of an output; what the mode does not show is empty. */
export interface OutputViewResult {
  stdoutSummary: string
  stderrSummary: string
  /** Of summary with terms, and of intent where something matched. */
  excerpts?: readonly Excerpt[]
  digest?: Digest
  outputLines: number
  outputBytes: number
}

/** Watches both streams as they come, in little memory, and says in the end what to show. */
export interface OutputView {
  push(stream: StreamName, chunk: Buffer): void
  end(how: { exitCode: number | null }): OutputViewResult
}
