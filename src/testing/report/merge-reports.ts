import type { Plain } from '../../core/skills/manifest/manifest.ts'
import { isTable } from '../../core/testing/document/field.ts'
import { REPORT_SCHEMA, type toJsonReport } from './json.ts'
import type { CaseReport, TestReport } from './test-report.ts'

type JsonReport = ReturnType<typeof toJsonReport>

/** Parses a report of `--reporter json`; undefined if the text is something else. */
export function parseJsonReport(text: string): TestReport | undefined {
  let value: Plain
  try {
    value = JSON.parse(text) as Plain
  } catch {
    return undefined
  }
  if (!isTable(value) || value['schema'] !== REPORT_SCHEMA || !Array.isArray(value['cases'])) {
    return undefined
  }
  const report = value as unknown as JsonReport
  return {
    durationMs: report.duration_ms,
    isPartial: report.partial,
    cases: report.cases.map(fromJsonCase),
  }
}

function fromJsonCase({ attempts, ...report }: JsonReport['cases'][number]): CaseReport {
  return {
    ...report,
    attempts: attempts.map(({ duration_ms: durationMs, kept, failures, output }) => ({
      output,
      durationMs,
      kept: kept ?? undefined,
      failures: failures.map(({ difference, ...each }) => ({
        ...each,
        difference: difference ?? undefined,
      })),
    })),
  }
}

/** Merges the reports of shards: their cases ordered by skill, file and line. */
export function mergeReports(reports: readonly TestReport[]): TestReport {
  const cases = reports.flatMap((report) => report.cases)
  return {
    cases: cases.toSorted(compareCases),
    durationMs: Math.max(0, ...reports.map(({ durationMs }) => durationMs)),
    isPartial: reports.some(({ isPartial }) => isPartial),
  }
}

function compareCases(a: CaseReport, b: CaseReport): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.position.line - b.position.line || (a.name < b.name ? -1 : 1)
}
