import type { ChainLink } from './chain.ts'

/** One line of a segment. */
export interface AuditLine {
  /** Without its line end; bytes that are not UTF-8 are replaced. */
  text: string
  /** From 1. */
  number: number
  /** False for the last line of a segment where its end is missing. */
  isWhole: boolean
}

/** A part of a log. Lines come in batches; a segment that was removed meanwhile has none. */
interface AuditSegment {
  readonly name: string
  /** In their order; what is appended meanwhile is not read. */
  lines(): AsyncIterable<readonly AuditLine[]>
  newestFirst(): AsyncIterable<readonly string[]>
}

/** Reads a log, beside its writers. */
export interface AuditSource {
  /** Where the log ended, as remembered apart from its records; undefined where nothing is. */
  head(): Promise<ChainLink | undefined>
  /** Oldest first, as they are now. */
  segments(): Promise<readonly AuditSegment[]>
}
