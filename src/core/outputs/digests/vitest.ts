import type { DigestFailure } from './digest.ts'
import { addDifference, formatQuantity, matchLines, type DigestParser } from './parser.ts'

/** `FAIL  v/sum.test.js > sum > adds` of vitest; a project's name in bars may precede the file. */
const FAIL = /^ FAIL +(?:\|.*?\| +)?(\S.*)$/
const LOCATION = /^ ❯ (?:.* )?\(?(.+?):(\d+):\d+\)?$/
const TOTAL = /^ *Tests +(.+?) \((\d+)\)$|^Tests: +(.+), (\d+) total$/
const FILES = /^ *Test Files +(.+?) \((\d+)\)$|^Test Suites: +(.+), (\d+) total$/
/** `  ● sum › adds` of jest, below `FAIL j/sum.test.cjs`. */
const JEST = /^ {2}● (.+)$/
const JEST_FILE = /^FAIL (?:.*? )?(\S+)(?: \(.*\))?$/
const JEST_LOCATION = /^ {6}at .*?\(?([^\s(]+):(\d+):\d+\)?$/
const MAX_DETAIL_LINES = 60

/** Vitest and jest, which print equivalent reports. */
export const vitestParser: DigestParser = {
  kind: 'vitest',
  command: /(?:^|[\s/])(?:vitest|jest)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => TOTAL.test(line) || /^ RUN {2}v\d/.test(line)),
  parse({ all }) {
    const tests = parseTotal(all, TOTAL)
    const files = parseTotal(all, FILES)
    const failures = [...parseVitestFailures(all), ...parseJestFailures(all)]
    if (!tests && !files && failures.length === 0) return undefined
    const [failed, failedFiles] = [tests?.failed ?? 0, files?.failed ?? 0]
    const ok = failed + failedFiles + failures.length === 0
    return { ok, summary: formatSummary({ ok, tests, failedFiles }, failures.length), failures }
  },
}

function formatSummary(
  { ok, tests, failedFiles }: { ok: boolean; tests: TestTotal | undefined; failedFiles: number },
  failures: number,
): string {
  if (ok) return `${formatQuantity(tests?.count ?? 0, 'test')} passed`
  if (tests && tests.failed > 0) return `${tests.failed}/${tests.count} tests failed`
  return `${formatQuantity(failedFiles || failures, 'test file')} failed`
}

interface TestTotal {
  failed: number
  count: number
}

/** `2 failed | 1 passed (3)`, or `2 failed, 1 passed, 3 total`. */
function parseTotal(lines: readonly string[], pattern: RegExp): TestTotal | undefined {
  const found = matchLines(lines, pattern).at(-1)
  if (!found) return undefined
  const [, parts = found[3] ?? '', count = found[4]] = found
  return { failed: Number(/(\d+) failed/.exec(parts)?.[1] ?? 0), count: Number(count) }
}

function parseVitestFailures(lines: readonly string[]): DigestFailure[] {
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const title = FAIL.exec(line)?.[1]
    if (title === undefined) continue
    const rest = lines.slice(at + 1, at + 1 + MAX_DETAIL_LINES)
    // Tests that fail for the same reason are listed one after the other.
    const message = rest.find((each) => each.trim() !== '' && !FAIL.test(each)) ?? 'failed'
    const [file = '', ...names] = title.replace(/ \[ .* \]$/, '').split(' > ')
    const end = rest.findIndex((each) => /^⎯+/.test(each))
    const location = matchLines(end === -1 ? rest : rest.slice(0, end), LOCATION).find(
      (found) => found[1] === file,
    )
    failures.push({
      ...(names.length > 0 && { name: names.join(' > ') }),
      file,
      ...(location && { line: Number(location[2]) }),
      message,
    })
  }
  return failures
}

/** Skips repeated names: the summary at the end lists all failures again. */
function parseJestFailures(lines: readonly string[]): DigestFailure[] {
  const failures = new Map<string, DigestFailure>()
  let file: string | undefined
  for (const [at, line] of lines.entries()) {
    file = JEST_FILE.exec(line)?.[1] ?? file
    const name = JEST.exec(line)?.[1]
    if (name === undefined || file === undefined || failures.has(`${file} ${name}`)) continue
    const rest = lines.slice(at + 1, at + 1 + MAX_DETAIL_LINES)
    const end = rest.findIndex((each) => JEST.test(each) || JEST_FILE.test(each))
    const details = end === -1 ? rest : rest.slice(0, end)
    const location = matchLines(details, JEST_LOCATION).find((found) => found[1] === file)
    failures.set(`${file} ${name}`, {
      name: name.replaceAll(' › ', ' > '),
      file,
      ...(location && { line: Number(location[2]) }),
      message: addDifference(
        details.find((each) => each.trim() !== '')?.trim() ?? 'failed',
        details,
      ),
    })
  }
  return [...failures.values()]
}
