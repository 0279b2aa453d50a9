/** Number of masked texts. */
export interface RedactionCounts {
  /** Values of secrets. */
  secrets: number
  /** Matches of patterns. */
  patterns: number
}
