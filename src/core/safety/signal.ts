import type { Passage } from './texts/passage.ts'
import type { SafetyCertainty, SafetyClass, SafetyFinding } from './safety-finding.ts'

/** A half of a finding: another half near it completes it. */
export type Half = 'secret' | 'send' | 'fetch' | 'obey'

/** Something that a passage or a statement does, before the rest of the skill is considered. */
export interface Signal {
  class: SafetyClass
  severity: SafetyFinding['severity']
  certainty: SafetyCertainty
  file: string
  start: number
  end: number
  message: string
  help: string
  hiding: Passage['hiding']
  /** Set if the signal counts only together with another. */
  half?: Half
  /** True if the skill's description names what the signal is about. */
  isDescribed?: boolean
  /** True for code, whose effect does not depend on a model. */
  isCode?: boolean
  /** True if nothing around it may lower its severity. */
  isFixed?: boolean
}
