import type { ChainLink } from './chain.ts'

/** One line of a segment. */
export interface AuditLine {
  /** Without the line terminator; bytes that are not UTF-8 are replaced. */
  text: string
  /** Counted from 1. */
  number: number
  /** False for the last line of a segment if its terminator is missing. */
  isWhole: boolean
}

/** One file of a log. Lines come in batches; a segment that was removed meanwhile yields none. */
interface AuditSegment {
  readonly name: string
  /** Lines in file order; lines appended during the read are not included. */
  lines(): AsyncIterable<readonly AuditLine[]>
  newestFirst(): AsyncIterable<readonly string[]>
}

/** Reads a log while others write to it. */
export interface AuditSource {
  /** End of the log as recorded outside of the segments; undefined if there is no head. */
  head(): Promise<ChainLink | undefined>
  /** Current segments, oldest first. */
  segments(): Promise<readonly AuditSegment[]>
}
