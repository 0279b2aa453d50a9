import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const BANNER = /^PHPUnit \d+\.\d/
const GOOD = /^OK \((\d+) tests?, \d+ assertions?\)$/
const TOTAL = /^Tests: (\d+), Assertions: \d+(.*)\.$/
const TITLE = /^\d+\) (\S+::\S.*)$/
const LOCATION = /^(\S+\.php):(\d+)$/

/** PHPUnit's default printer. */
export const phpunitParser: DigestParser = {
  kind: 'phpunit',
  command: /(?:^|[\s/])(?:phpunit|pest)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => BANNER.test(line)),
  parse({ all }) {
    const [good] = matchLines(all, GOOD)
    if (good) {
      return {
        ok: true,
        summary: `${formatQuantity(Number(good[1]), 'test')} passed`,
        failures: [],
      }
    }
    const total = matchLines(all, TOTAL).at(-1)
    const failures = parseTestFailures(all)
    if (!total && failures.length === 0) return undefined
    const counts = [...(total?.[2] ?? '').matchAll(/(Errors|Failures): (\d+)/g)]
    const failed = counts.reduce((sum, [, , count]) => sum + Number(count), 0)
    const ok = failed + failures.length === 0
    const tests = total?.[1] ?? String(failures.length)
    const summary = ok
      ? `${tests} tests passed`
      : `${failed || failures.length}/${tests} tests failed`
    return { ok, summary, failures }
  },
}

function parseTestFailures(lines: readonly string[]): DigestFailure[] {
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const name = TITLE.exec(line)?.[1]
    if (name === undefined) continue
    const rest = lines.slice(at + 1, at + 60)
    const end = rest.findIndex((each) => TITLE.test(each) || each === '--')
    const part = end === -1 ? rest : rest.slice(0, end)
    const [location] = matchLines(part, LOCATION)
    failures.push({
      name,
      ...(location && { file: location[1] as string, line: Number(location[2]) }),
      message: part.find((each) => each.trim() !== '')?.trim() ?? 'failed',
    })
  }
  return failures
}
