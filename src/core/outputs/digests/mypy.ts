import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const ERROR = /^(.+?\.pyi?):(\d+)(?::\d+)?: error: (.*?)(?: {2}\[([\w-]+)\])?$/
const FOUND = /^Found (\d+) errors? in (\d+) files?/
const SUCCESS = /^Success: no issues found in /

/** Mypy. */
export const mypyParser: DigestParser = {
  kind: 'mypy',
  command: /(?:^|[\s/])(?:mypy|dmypy)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => ERROR.test(line) || SUCCESS.test(line)),
  parse({ all }) {
    const failures = matchLines(all, ERROR).map(([, file = '', line, message = '', name]) => ({
      ...(name !== undefined && { name }),
      file,
      line: Number(line),
      message,
    }))
    if (failures.length === 0) {
      const success = all.find((line) => SUCCESS.test(line))
      return success === undefined ? undefined : { ok: true, summary: 'no issues', failures }
    }
    const [found] = matchLines(all, FOUND)
    const files = Number(found?.[2] ?? 1)
    const inFiles = files > 1 ? ` in ${files} files` : ''
    const errors = Number(found?.[1] ?? failures.length)
    return { ok: false, summary: `${formatQuantity(errors, 'error')}${inFiles}`, failures }
  },
}
