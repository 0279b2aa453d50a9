import type { Severity } from '../rule.ts'
import type { Reporter } from './reporter.ts'

const COMMANDS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice' }

export const githubReporter: Reporter = {
  name: 'github',
  summary: 'annotations for GitHub workflows',
  render({ findings }) {
    return findings
      .map(({ severity, path, start, end, rule, message, help }) => {
        const position = start ? [`line=${start.line}`, `endLine=${end?.line ?? start.line}`] : []
        // GitHub ignores columns of multi-line spans; the end column is inclusive.
        if (start && end?.line === start.line)
          position.push(
            `col=${start.column}`,
            `endColumn=${Math.max(start.column, end.column - 1)}`,
          )
        const properties = [
          `file=${escapeProperty(path)}`,
          ...position,
          `title=${escapeProperty(rule)}`,
        ]
        return `::${COMMANDS[severity]} ${properties.join(',')}::${escapeData(help ? `${message}. ${help}` : message)}`
      })
      .join('\n')
  },
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
