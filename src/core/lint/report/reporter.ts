import type { LintResult } from '../lint.ts'

/** A way to say what a lint run found. Nothing is printed here: the text is returned. */
export interface Reporter {
  name: string
  summary: string
  render(result: LintResult, options: ReporterOptions): string
}

export interface ReporterOptions {
  cwd: string
  /** Paints a piece of text; plain where there are no colours. */
  paint: (style: PaintStyle, text: string) => string
  columns: number
  /** The text of a file, for code frames. */
  readSource: (path: string) => string | undefined
  version: string
}

type PaintStyle = 'error' | 'warning' | 'info' | 'dim' | 'bold' | 'underline'
