import type { SafetyClass } from '../safety-finding.ts'
import type { FamilyName } from './families.ts'

/** One family, or any of several. */
export type Slot = FamilyName | readonly FamilyName[]

/** A kind of harm: families that meet in one sentence, with others in its surroundings. */
export interface HarmFrame {
  class: SafetyClass
  severity: 'error' | 'warning' | 'info'
  /** Families of one sentence, in any order; a finding stands at the first. */
  sentence: readonly Slot[]
  /** Families of the paragraph or of its neighbours. */
  near?: readonly Slot[]
  /** Words of the sentence that give it an innocent reading. */
  unless?: RegExp
  describedBy?: RegExp
  /** True if the neighbours of the paragraph count, too. */
  isWide?: true
  /** True if only text that readers do not see means it. */
  isHidden?: true
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  message: string
  help: string
}
