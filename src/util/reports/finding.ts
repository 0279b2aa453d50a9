import type { TextPosition } from '../line-index.ts'

/** A finding of lint, vet or diff, as reports show it. */
export interface ReportedFinding {
  rule: string
  severity: 'error' | 'warning' | 'info'
  /** Relative to the working directory, as printed. */
  path: string
  /** Absent for findings about a whole file. */
  start: TextPosition | undefined
  end: TextPosition | undefined
  message: string
  help: string | undefined
  related?: readonly { path: string; start: TextPosition | undefined; message: string }[]
}
