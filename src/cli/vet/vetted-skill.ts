import type { TrialReport } from '../../core/trials/index.ts'
import type { VetReport } from '../../core/vetting/index.ts'

/** A vetted skill of a source, with the texts that its findings point into. */
export interface VettedSkill {
  /** Source that names this skill alone. */
  source: string
  report: VetReport
  /** Set if the skill was run. */
  trials?: TrialReport | undefined
  /** Name of the model that read it as well. */
  model?: string | undefined
  /** Texts of the files with findings, with secrets masked. */
  texts: ReadonlyMap<string, string>
}
