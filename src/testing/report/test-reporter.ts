import type { CaseReport, TestReport } from './test-report.ts'

/** An output format of `skills test`. It returns text and prints nothing. */
export interface TestReporter {
  name: string
  summary: string
  /** Lines about a case that has ended, with a line break; cases come in their order. */
  describeCase?(report: CaseReport, options: TestReporterOptions): string
  /** Lines about the whole test run, with a line break. */
  describeEnd(report: TestReport, options: TestReporterOptions): string
}

export interface TestReporterOptions {
  /** Colours a text; returns it unchanged without colours. */
  paint: (style: TestPaintStyle, text: string) => string
  columns: number
}

type TestPaintStyle = 'passed' | 'failed' | 'flaky' | 'added' | 'removed' | 'dim' | 'bold'
