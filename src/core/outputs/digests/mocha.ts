import type { DigestFailure } from './digest.ts'
import { matchLines, type DigestParser } from './parser.ts'

const PASSING = /^ {2}(\d+) passing(?: \(.*\))?$/
const FAILING = /^ {2}(\d+) failing$/
/** `  1) sum`, whose following lines are the names of nested suites and the test. */
const TITLE = /^ {2}(\d+)\) (.+)$/
const LOCATION = /^ {6}at .*?\(?([^\s()]+):(\d+):\d+\)?$/

/** Mocha's reporter `spec`. */
export const mochaParser: DigestParser = {
  kind: 'mocha',
  command: /(?:^|[\s/])_?mocha(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => PASSING.test(line)),
  parse({ all }) {
    const passing = matchLines(all, PASSING).at(-1)
    if (!passing) return undefined
    const start = all.findLastIndex((line) => FAILING.test(line))
    const failures = start === -1 ? [] : parseMochaFailures(all.slice(start + 1))
    const failed = Number(matchLines(all, FAILING).at(-1)?.[1] ?? 0)
    const total = Number(passing[1]) + failed
    const ok = failed === 0
    return {
      ok,
      summary: ok ? `${total} tests passed` : `${failed}/${total} tests failed`,
      failures,
    }
  },
}

function parseMochaFailures(lines: readonly string[]): DigestFailure[] {
  const starts = [...lines.keys()].filter((at) => TITLE.test(lines[at] as string))
  return starts.map((start, index) => {
    const part = lines.slice(start, starts[index + 1] ?? lines.length)
    const end = part.findIndex((line) => line.endsWith(':') && !line.startsWith('     at '))
    const titles = part.slice(0, end + 1).map((line) => line.replace(/^ {2}\d+\) /, '').trim())
    const rest = part.slice(end + 1)
    const location = matchLines(rest, LOCATION).find(([, file = '']) => !file.startsWith('node:'))
    return {
      name: titles.join(' > ').replace(/:$/, ''),
      ...(location && { file: location[1] as string, line: Number(location[2]) }),
      message: rest.find((line) => line.trim() !== '')?.trim() ?? 'failed',
    }
  })
}
