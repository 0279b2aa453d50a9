import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const CONCISE = /^(.+?\.(?:pyi?|ipynb)):(\d+):\d+: ([A-Z]+\d+|invalid-syntax:?) (?:\[\*\] )?(.*)$/
const TITLE = /^([A-Z]+\d+) (?:\[\*\] )?(.+)$/
const ARROW = /^ *--> (.+?):(\d+):\d+$/
const FOUND = /^Found (\d+) errors?/

/** Ruff, with full or concise output. */
export const ruffParser: DigestParser = {
  kind: 'ruff',
  command: /(?:^|[\s/])ruff(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => CONCISE.test(line)) || parseFullRows(lines).length > 0,
  parse({ all, exitCode }) {
    const concise = matchLines(all, CONCISE).map(
      ([, file = '', line, name = '', message = '']) => ({
        name: name.replace(/:$/, ''),
        file,
        line: Number(line),
        message,
      }),
    )
    const failures = [...concise, ...parseFullRows(all)]
    if (failures.length === 0) {
      return exitCode === 0 ? { ok: true, summary: 'no problems', failures } : undefined
    }
    const [found] = matchLines(all, FOUND)
    return {
      ok: false,
      summary: formatQuantity(Number(found?.[1] ?? failures.length), 'error'),
      failures,
    }
  },
}

/** A title line, followed by a line with the location. */
function parseFullRows(lines: readonly string[]): DigestFailure[] {
  return lines.flatMap((line, at) => {
    const [, name = '', message] = TITLE.exec(line) ?? []
    const location = ARROW.exec(lines[at + 1] ?? '')
    if (message === undefined || !location) return []
    return [{ name, file: location[1] as string, line: Number(location[2]), message }]
  })
}
