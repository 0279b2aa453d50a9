import type { HostKind } from '../hosts.ts'
import type { SafetyClass } from '../safety-finding.ts'
import type { TextClass } from './lexicon.ts'

/** A thing that a sentence tells the agent to do: word classes that stand near each other. */
export interface Intent {
  class: SafetyClass
  /** Severity of the sentence alone; passages around it raise and lower it. */
  severity: 'error' | 'warning' | 'info'
  /** Each of these lists is enough, in its order. */
  words: readonly (readonly TextClass[])[]
  /** Limit on characters between two neighbours. */
  gap: number
  /** True if the sentence is about this as a rule: "never", "without asking". */
  isNegative?: true
  /** Kinds of hosts that the sentence must name. */
  hosts?: readonly HostKind[]
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  /** A sentence that matches has an innocent reading. */
  unless?: RegExp
  /** A sentence that does not match is not meant. */
  only?: RegExp
  /** Subjects of a skill that make the intent its described use. */
  describedBy?: RegExp
  message: string
  help: string
}
