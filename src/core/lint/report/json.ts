import { createUnifiedDiff } from '../../../util/unified-diff.ts'
import type { Finding } from '../finding.ts'
import type { FileChange } from '../lint.ts'
import { maskChange } from '../secrets/mask-secrets.ts'
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

/** A change of a file with secrets is shown with masked values, which is not its text. */
function toJsonChange(change: FileChange) {
  const { path, mode } = change
  const { before, after } = maskChange(change)
  return {
    path,
    mode: mode ?? null,
    after: after ?? null,
    diff: createUnifiedDiff(path, before, after),
    ...(after === change.after ? {} : { masked: true }),
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
    ...(finding.certainty && { certainty: finding.certainty }),
  }
}
