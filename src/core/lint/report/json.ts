import { createUnifiedDiff } from '../../../util/unified-diff.ts'
import type { Finding } from '../finding.ts'
import type { FileChange } from '../lint.ts'
import type { Reporter } from './reporter.ts'

export const jsonReporter: Reporter = {
  name: 'json',
  summary: 'one JSON document',
  render(result) {
    const { errors, warnings, infos, skills, fixed, failures, fixableSafe, fixableUnsafe } = result
    const summary = {
      skills,
      errors,
      warnings,
      infos,
      fixable: { safe: fixableSafe, unsafe: fixableUnsafe },
    }
    return JSON.stringify(
      {
        schema: 'skills.lint/v1',
        summary,
        findings: result.findings.map(toJsonFinding),
        fixed,
        changes: result.changes.map(toJsonChange),
        failures,
      },
      null,
      2,
    )
  },
}

function toJsonChange({ path, before, after, mode }: FileChange) {
  return {
    path,
    mode: mode ?? null,
    after: after ?? null,
    diff: createUnifiedDiff(path, before, after),
  }
}

function toJsonFinding(finding: Finding) {
  const { rule, severity, path, start, end, message, help, related, fix } = finding
  return {
    rule,
    severity,
    path,
    start: start ?? null,
    end: end ?? null,
    message,
    help: help ?? null,
    fix: fix ?? null,
    related,
  }
}
