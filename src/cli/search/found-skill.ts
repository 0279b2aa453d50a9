import type { VetVerdict } from '../../core/vetting/index.ts'
/** A skill that was found. */
export interface FoundSkill {
  name: string
  version: string | undefined
  description: string
  tags: readonly string[]
  /** `installed`, or the index as in the configuration. */
  origin: string
  /** Source for "skills install"; undefined if it is here, or cannot be named. */
  source: string | undefined
  /** Folder of a skill that is here. */
  dir?: string
  /** Verdict about a skill that is here. */
  vet?: VetVerdict
}
