import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

/** `src/a.ts(4,14): error TS2322: …`, or `src/a.ts:4:14 - error TS2322: …` with `--pretty`. */
const ERROR = /^(.+?)(?:\((\d+),\d+\)|:(\d+):\d+)(?::| -) error (TS\d+): (.*)$/
/** Errors without a file, for example of the configuration. */
const ERROR_WITHOUT_FILE = /^error (TS\d+): (.*)$/
const FOUND = /^Found (\d+) errors?(?: in (\d+) files?|[^\n]*)/

/** The TypeScript compiler. */
export const tscParser: DigestParser = {
  kind: 'tsc',
  command: /(?:^|[\s/])(?:tsc|tsgo|vue-tsc)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => ERROR.test(line) || ERROR_WITHOUT_FILE.test(line)),
  parse({ all, exitCode }) {
    const located = matchLines(all, ERROR).map(([, file = '', a, b, name = '', message = '']) => ({
      name,
      file,
      line: Number(a ?? b),
      message,
    }))
    const unlocated = matchLines(all, ERROR_WITHOUT_FILE).map(([, name = '', message = '']) => ({
      name,
      message,
    }))
    const failures = [...located, ...unlocated]
    if (failures.length === 0) {
      return exitCode === 0 ? { ok: true, summary: 'no errors', failures } : undefined
    }
    const [found] = matchLines(all, FOUND)
    const errors = Number(found?.[1] ?? failures.length)
    const files = found?.[2] ?? String(new Set(located.map(({ file }) => file)).size)
    const inFiles = Number(files) > 1 ? ` in ${files} files` : ''
    return { ok: false, summary: `${formatQuantity(errors, 'error')}${inFiles}`, failures }
  },
}
