import type { LintResult } from '../lint.ts'

/** An output format of lint. It returns text and prints nothing. */
export interface Reporter {
  name: string
  summary: string
  /** True if it asks for the texts of files. */
  showsSource?: boolean
  render(result: LintResult, options: ReporterOptions): string
}

export interface ReporterOptions {
  cwd: string
  /** Colours a text; returns it unchanged without colours. */
  paint: (style: PaintStyle, text: string) => string
  columns: number
  /** Text of a file, for code frames. */
  readSource: (path: string) => string | undefined
  version: string
}

type PaintStyle = 'error' | 'warning' | 'info' | 'dim' | 'bold' | 'underline'
