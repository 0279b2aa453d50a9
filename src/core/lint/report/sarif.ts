import { posix } from 'node:path'
import { LineIndex } from '../../../util/line-index.ts'
import { renderSarif, type SarifFix, type SarifReplacement } from '../../../util/reports/sarif.ts'
import type { Finding } from '../finding.ts'
import type { LintEdit } from '../rule.ts'
import { RULES } from '../rules/index.ts'
import type { Reporter } from './reporter.ts'

export const sarifReporter: Reporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  showsSource: true,
  render(result, { version, readSource }) {
    const texts = new Map<string, LineIndex | undefined>()
    const loadLines = (path: string) => {
      if (!texts.has(path)) {
        const text = readSource(path)
        texts.set(path, text === undefined ? undefined : new LineIndex(text))
      }
      return texts.get(path)
    }
    return renderSarif(result, {
      version,
      rules: RULES,
      manual: 'linting.md#rules',
      folder: 'The folder in which skills lint was run',
      createFix: (finding) => createFix(finding, loadLines),
    })
  },
}

/** Replacements of a fix; SARIF has none that delete a file or change its permission bits. */
function createFix(
  finding: Finding,
  loadLines: (path: string) => LineIndex | undefined,
): SarifFix | undefined {
  const changes = new Map<string, SarifReplacement[]>()
  for (const edit of finding.edits) {
    const path = toPrintedPath(finding, edit.file)
    const replacement = toReplacement(edit, loadLines(path))
    if (!replacement) return undefined
    changes.set(path, [...(changes.get(path) ?? []), replacement])
  }
  if (changes.size === 0) return undefined
  const scope = finding.fix === 'safe' ? 'keeps the meaning' : 'may change the meaning'
  return { description: `${finding.help ?? finding.message} (${scope})`, changes }
}

function toReplacement(edit: LintEdit, lines: LineIndex | undefined): SarifReplacement | undefined {
  if (edit.kind === 'create') {
    const start = { line: 1, column: 1 }
    return { start, end: start, text: edit.text }
  }
  if (edit.kind !== 'replace' || !lines) return undefined
  const { start, end } = edit.span
  return { start: lines.positionAt(start), end: lines.positionAt(end), text: edit.text }
}

/** Printed path of another file in the skill of a finding. */
function toPrintedPath({ path, file }: Finding, other: string): string {
  const base = file === '.' || file === '' ? `${path}/` : path.slice(0, path.length - file.length)
  return posix.normalize(`${base}${other}`)
}
