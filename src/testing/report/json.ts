import { countCases, type CaseReport, type TestReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

/** The whole report as one document, which `--merge` reads. */
export const jsonTestReporter: TestReporter = {
  name: 'json',
  summary: 'one JSON document, which --merge reads',
  describeEnd: (report) => `${JSON.stringify(toJsonReport(report), null, 2)}\n`,
}

/** One JSON document per line: a case, or the totals. */
export const jsonLinesTestReporter: TestReporter = {
  name: 'jsonl',
  summary: 'JSON lines: one for each case as it ends, and the totals',
  describeCase: (report) => `${JSON.stringify({ type: 'case', ...toJsonCase(report) })}\n`,
  describeEnd(report) {
    const { cases: _, ...end } = toJsonReport(report)
    return `${JSON.stringify({ type: 'end', ...end })}\n`
  },
}

export const REPORT_SCHEMA = 'skills.test/v1'

export function toJsonReport(report: TestReport) {
  return {
    schema: REPORT_SCHEMA,
    summary: { cases: report.cases.length, ...countCases(report) },
    duration_ms: Math.round(report.durationMs),
    partial: report.isPartial,
    cases: report.cases.map(toJsonCase),
  }
}

function toJsonCase({ attempts, ...report }: CaseReport) {
  return {
    ...report,
    attempts: attempts.map(({ durationMs, kept, ...attempt }) => ({
      ...attempt,
      failures: attempt.failures.map(({ difference, ...each }) => ({
        ...each,
        difference: difference ?? null,
      })),
      duration_ms: Math.round(durationMs),
      kept: kept ?? null,
    })),
  }
}
