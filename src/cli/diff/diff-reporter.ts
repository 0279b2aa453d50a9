import type { SkillComparison } from '../../core/comparing/compare-skills.ts'
import type { Context } from '../context.ts'

export interface DiffReportOptions {
  style: Context['style']
  /** True if changed words are marked by colours. */
  hasColors: boolean
  /** Infinity for files and pipes. */
  columns: number
  /** Folder of the compared skill relative to the working directory, for locations. */
  folder: string
  version: string
  /** Leaves out the step of the version, which concerns authors only. */
  hidesStep?: boolean
}

/** An output format of `skills diff`. */
export interface DiffReporter {
  name: string
  summary: string
  render(comparison: SkillComparison, options: DiffReportOptions): string
}
