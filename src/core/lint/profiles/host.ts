import type { Plain } from '../../skills/manifest/manifest.ts'
import type { HostProfile, LintedSkill } from '../rule.ts'

/** A host of skills, as its own documents describe it. */
export interface HostDescription {
  profile: HostProfile
  /** Name for messages. */
  title: string
  /** Front matter keys that the host reads, with the values that it accepts. */
  keys: Readonly<Record<string, ValueCheck | undefined>>
  /** Keys that the host requires. */
  required: readonly string[]
  /** Problems that a single value does not show. */
  check?: (skill: LintedSkill, data: FrontMatter) => HostProblem[]
}

export type FrontMatter = Readonly<Record<string, Plain>>

/** Describes why a value is refused, such as `is "none", expected fork`; undefined if it is valid. */
export type ValueCheck = (value: Plain, skill: LintedSkill) => ValueProblem | undefined

interface ValueProblem {
  message: string
  help?: string
  /** `error` if the host refuses the value, `warning` if it ignores it. */
  severity?: 'warning'
}

export interface HostProblem extends ValueProblem {
  /** Path in the front matter; in `agents/openai.yaml` if `file` is set. */
  path: readonly (string | number)[]
  what?: 'key' | 'value'
  file?: string
}
