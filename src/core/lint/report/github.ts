import { formatAnnotation } from '../../../util/reports/github.ts'
import type { Finding } from '../finding.ts'
import type { Reporter } from './reporter.ts'

const LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const

export const githubReporter: Reporter = {
  name: 'github',
  summary: 'annotations for GitHub workflows',
  render: ({ findings }) => findings.map(annotate).join('\n'),
}

function annotate({ severity, path, start, end, rule, message, help }: Finding): string {
  return formatAnnotation({
    level: LEVELS[severity],
    properties: {
      file: path,
      ...(start && { line: start.line, endLine: end?.line ?? start.line }),
      // GitHub ignores columns of multi-line spans; the end column is inclusive.
      ...(start &&
        end?.line === start.line && {
          col: start.column,
          endColumn: Math.max(start.column, end.column - 1),
        }),
      title: rule,
    },
    text: help ? `${message}. ${help}` : message,
  })
}
