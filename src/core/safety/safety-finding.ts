import type { Manifest } from '../skills/manifest/manifest.ts'
import type { SkillSource, Span } from '../skills/manifest/source.ts'

/** Classes of behaviour that can harm the user of a skill; each is a lint rule `safety/<class>`. */
const SAFETY_CLASSES = [
  'credential-access',
  'agent-data',
  'data-upload',
  'remote-code',
  'remote-instructions',
  'lookalike-package',
  'unpinned-package',
  'instruction-override',
  'concealment',
  'skipped-approval',
  'persistence',
  'agent-configuration',
  'obfuscated-code',
  'hidden-text',
  'destruction',
  'disabled-protection',
  'undeclared-behaviour',
  'trigger',
  'sabotage',
  'acts-for-user',
] as const
export type SafetyClass = (typeof SAFETY_CLASSES)[number]

/** How sure the reading is that the skill does it. */
export type SafetyCertainty = 'certain' | 'likely' | 'unclear'

export interface SafetyFinding {
  class: SafetyClass
  severity: 'error' | 'warning' | 'info'
  certainty: SafetyCertainty
  /** Relative to the skill. */
  file: string
  span: Span
  message: string
  /** Facts that would settle the finding. */
  help: string
}

/** A skill as the reading needs it. */
export interface SafetySource extends SkillSource {
  manifest: Manifest
}

export interface SafetyReading {
  findings: readonly SafetyFinding[]
  /** Files that were read, relative to the skill. */
  read: readonly string[]
  notRead: readonly { path: string; reason: string }[]
}
