import type { RawFinding, ReportFinding } from './rule.ts'

/** Reports findings about files as one of the skill, at the first file, with the edits of all. */
export function reportOnce(report: ReportFinding, findings: readonly RawFinding[]): void {
  const [first, ...rest] = findings
  if (!first) return
  const more = rest.length === 1 ? '1 other file' : `${rest.length} other files`
  report({
    ...first,
    message: rest.length === 0 ? first.message : `${first.message}, and so for ${more}`,
    help: rest.length === 0 ? first.help : 'Type "skills lint --fix" to fix all of them',
    edits: findings.flatMap(({ edits = [] }) => edits),
  })
}
