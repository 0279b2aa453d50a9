import type { SafetyClass } from '../safety-finding.ts'
import type { Half } from '../signal.ts'

/** A thing that a whole paragraph asks for, in whatever order and number of sentences. */
export interface ParagraphIntent {
  class: SafetyClass
  severity: 'error' | 'warning' | 'info'
  /** The words that carry the intent; a finding stands there. */
  key: RegExp
  /** Patterns that the paragraph must match too. */
  needs?: readonly RegExp[]
  unless?: RegExp
  /** True if the paragraph must name a host that the skill does not declare. */
  needsHost?: true
  /** True if the paragraph must be about this as a rule: "no need to mention". */
  isNegative?: true
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  /** True if it counts only in data and in text that readers do not see. */
  isData?: true
  /** True if the host must stand in a sentence of a document, not in a list of links. */
  isOrder?: true
  /** True if comments and settings of programs do not count. */
  isText?: true
  describedBy?: RegExp
  half?: Half
  message: string
  help: string
}
