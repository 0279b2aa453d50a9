import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const TOTAL =
  /^\[(?:ERROR|WARNING|INFO)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: \d+$/
/** `[ERROR]   SumTest.subtracts:12 expected: <1> but was: <2>`, below "Failures:". */
const TEST = /^\[ERROR\] {3}([\w$.]+?)(?:\[.*?\])?:(\d+)(?:->\S+)* ?(?:» ?)?(.*)$/
const COMPILE = /^\[ERROR\] (\S+\.(?:java|kt|groovy|scala)):\[(\d+),\d+\] (.*)$/
const GOAL =
  /^\[ERROR\] (?:Failed to execute goal \S+(?: \(.*?\))? on project \S+: |The build could not read |Unknown lifecycle phase )?(.*?)(?: -> \[Help \d+\])?$/
const BUILD = /^\[INFO\] BUILD (SUCCESS|FAILURE)$/

/** Maven, its compiler and Surefire. */
export const mavenParser: DigestParser = {
  kind: 'maven',
  command: /(?:^|[\s/])mvnw?(?:\.cmd)?(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => BUILD.test(line)),
  parse({ all }) {
    const build = matchLines(all, BUILD).at(-1)
    const total = matchLines(all, TOTAL).at(-1)
    const located = parseLocated(all)
    if (!build && !total && located.length === 0) return undefined
    if (build?.[1] !== 'FAILURE' && located.length === 0) {
      return { ok: true, summary: describeGood(total), failures: [] }
    }
    const failures = located.length > 0 ? located : listReasons(all)
    const summary = describeFailedTests(total) ?? formatQuantity(failures.length, 'error')
    return { ok: false, summary, failures }
  },
}

/** Errors of compilers, and failed tests. Maven repeats both. */
function parseLocated(lines: readonly string[]): DigestFailure[] {
  const located = new Map<string, DigestFailure>()
  for (const [, file = '', line, message = ''] of matchLines(lines, COMPILE)) {
    located.set(`${file}:${line}`, { file, line: Number(line), message })
  }
  for (const [, name = '', line, message = ''] of matchLines(lines, TEST)) {
    located.set(name, { name, line: Number(line), message: message || 'failed' })
  }
  return [...located.values()]
}

function describeFailedTests(total: RegExpExecArray | undefined): string | undefined {
  const failed = Number(total?.[2] ?? 0) + Number(total?.[3] ?? 0)
  return failed > 0 ? `${failed}/${total?.[1]} tests failed` : undefined
}

function describeGood(total: RegExpExecArray | undefined): string {
  return total ? `${total[1]} tests passed` : 'build succeeded'
}

function listReasons(lines: readonly string[]): DigestFailure[] {
  const [reason] = matchLines(lines, GOAL).filter(([, text = '']) => text !== '')
  return [{ message: reason?.[1] ?? 'build failed' }]
}
