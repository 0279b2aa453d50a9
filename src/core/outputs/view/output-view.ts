import type { Digest } from '../digests/digest.ts'
import type { Excerpt, OutputMode, StreamName } from './excerpt.ts'

export { OUTPUT_MODES, type Excerpt, type OutputMode } from './excerpt.ts'

/** Selects the part of an output to show in the result of its run. */
export interface OutputViewOptions {
  mode: OutputMode
  /** Lines of a summary: 5 to 1,000. */
  maxLines: number
  queryTerms: readonly string[]
  /** Context lines around each match in intent mode; a summary has three. */
  contextLines: number
  /** The command, for the digest: executable and arguments, or the first line of code. */
  command?: string | undefined
  /** Folder that is removed from the paths in a digest. */
  root?: string | undefined
}

/** The shown part of an output; fields that the mode does not fill are empty. */
export interface OutputViewResult {
  stdoutSummary: string
  stderrSummary: string
  /** Present for a summary with terms and for intent, if something matched. */
  excerpts?: readonly Excerpt[]
  digest?: Digest
  outputLines: number
  outputBytes: number
}

/** Receives both streams as they arrive, in bounded memory, and returns the part to show. */
export interface OutputView {
  push(stream: StreamName, chunk: Buffer): void
  end(how: { exitCode: number | null }): OutputViewResult
}
