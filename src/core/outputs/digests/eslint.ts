import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const ROW = /^ +(\d+):(\d+) +(error|warning) +(.+?)(?: {2,}(\S+))?$/
const FILE = /^(?:[A-Za-z]:)?[^\s:].*\.\w+$/
const TOTAL = /^✖ (\d+) problems? \((\d+) errors?, (\d+) warnings?\)$/

/** ESLint's default formatter; warnings count only if there are no errors. */
export const eslintParser: DigestParser = {
  kind: 'eslint',
  command: /(?:^|[\s/])eslint(?:_d)?(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => TOTAL.test(line)),
  parse({ all, exitCode }) {
    const rows = parseRows(all)
    if (rows.length === 0) {
      return exitCode === 0 ? { ok: true, summary: 'no problems', failures: [] } : undefined
    }
    const errors = rows.filter(({ severity }) => severity === 'error')
    const counted = errors.length > 0 ? errors : rows
    const [total] = matchLines(all, TOTAL)
    const counts = [
      Number(total?.[2] ?? errors.length),
      Number(total?.[3] ?? rows.length - errors.length),
    ]
    const summary = `${formatQuantity(counts[0] as number, 'error')}, ${formatQuantity(counts[1] as number, 'warning')}`
    const failures = counted.map(({ failure }) => failure)
    return { ok: errors.length === 0, summary, failures }
  },
}

interface EslintRow {
  severity: string
  failure: DigestFailure
}

function parseRows(lines: readonly string[]): EslintRow[] {
  const rows: EslintRow[] = []
  let file: string | undefined
  for (const line of lines) {
    if (FILE.test(line)) file = line
    const [, number, , severity, message, name] = ROW.exec(line) ?? []
    if (message === undefined || severity === undefined || file === undefined) continue
    const rule = name !== undefined && { name }
    rows.push({ severity, failure: { ...rule, file, line: Number(number), message } })
  }
  return rows
}
