import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const BUILD = /^BUILD (SUCCESSFUL|FAILED) in /
/** `SumTest > subtracts() FAILED`. */
const TEST = /^(\S.*? > .+?) FAILED$/
const LOCATION = /\bat (?:\S+\()?([\w$.-]+\.(?:java|kt|groovy|scala)):(\d+)\)?$/
const JAVA = /^(\S+\.(?:java|groovy)):(\d+): error: (.*)$/
const KOTLIN = /^e: (?:file:\/\/)?(\S+\.kts?):(\d+):\d+:? (.*)$/
const TOTAL = /^(\d+) tests? completed, (\d+) failed/

/** Gradle, its compilers and test tasks. */
export const gradleParser: DigestParser = {
  kind: 'gradle',
  command: /(?:^|[\s/])gradlew?(?:\.bat)?(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => BUILD.test(line)),
  parse({ all }) {
    const build = matchLines(all, BUILD).at(-1)
    const errors = [...matchLines(all, JAVA), ...matchLines(all, KOTLIN)].map(
      ([, file = '', line, message = '']): DigestFailure => ({ file, line: Number(line), message }),
    )
    const failures = [...errors, ...parseTests(all)]
    if (!build && failures.length === 0) return undefined
    if (failures.length === 0 && build?.[1] === 'SUCCESSFUL') {
      return { ok: true, summary: 'build succeeded', failures }
    }
    const [, count, failed] = matchLines(all, TOTAL).at(-1) ?? []
    const tests = failed === undefined ? undefined : `${failed}/${count} tests failed`
    const reported = failures.length > 0 ? failures : listReasons(all)
    return {
      ok: false,
      summary: tests ?? formatQuantity(reported.length, 'error'),
      failures: reported,
    }
  },
}

function parseTests(lines: readonly string[]): DigestFailure[] {
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const name = line.startsWith('> Task ') ? undefined : TEST.exec(line)?.[1]
    if (name === undefined) continue
    const rest = lines.slice(at + 1, at + 30)
    const end = rest.findIndex((each) => each !== '' && !each.startsWith(' '))
    const part = end === -1 ? rest : rest.slice(0, end)
    const [location] = matchLines(part, LOCATION)
    const message = part.find((each) => each.trim() !== '')?.trim() ?? 'failed'
    failures.push({
      name,
      ...(location && { file: location[1] as string, line: Number(location[2]) }),
      message: message.replace(/ at \S+:\d+$/, ''),
    })
  }
  return failures
}

/** The lines below "What went wrong". */
function listReasons(lines: readonly string[]): DigestFailure[] {
  const at = lines.findIndex((line) => line === '* What went wrong:')
  const rest = at === -1 ? [] : lines.slice(at + 1)
  const end = rest.findIndex((line) => line.trim() === '')
  const part = end === -1 ? rest : rest.slice(0, end)
  const message = part.map((line) => line.trim().replace(/^> /, '')).join(' ')
  return [{ message: message || 'build failed' }]
}
