import type { DigestFailure } from './digest.ts'
import { addDifference, formatQuantity, matchLines, type DigestParser } from './parser.ts'

const FAIL = /^(\s*)--- FAIL: (\S+) \([\d.]+s\)$/
const LOCATION = /^\s+(\S+\.go):(\d+): (.*)$/
const PANIC = /^panic: (.*?)(?: \[recovered\])?$/
const PACKAGE = /^(?:FAIL|ok|---|\?) {0,3}\t(\S+)\t?.*$/
const BUILD_ERROR = /^(\S+\.go):(\d+):(?:\d+:)? (.*)$/
const BUILD_FAILED = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/
/** `Error:` of testify, below the location. */
const ASSERTION = /^\s+Error:\s+(\S.*)$/
const FAILURE_WORDS =
  /\b(?:got|want|wanted|expected|unexpected|should|must|mismatch|fail(?:ed|s|ure)?|errors?|wrong|invalid|bad|missing|not)\b|!=|^$/i
const PASSED = /^\s*--- PASS: /

/** `go test`, and the errors that `go build` and `go vet` report before it. */
export const goTestParser: DigestParser = {
  kind: 'go-test',
  command: /(?:^|[\s/])go (?:test|build|vet|run)(?:\s|$)/,
  looksLike: (lines) =>
    lines.some(
      (line) =>
        FAIL.test(line) || /^(?:FAIL|ok {2})\t\S+\t[\d.(]/.test(line) || BUILD_FAILED.test(line),
    ),
  parse({ all }) {
    const buildErrors = matchLines(all, BUILD_ERROR).map(([, file = '', line, message = '']) => ({
      file,
      line: Number(line),
      message,
    }))
    const failed = parseFailedTests(all)
    const packages = matchLines(all, /^(?:FAIL|ok {2})\t(\S+)/)
    const failures = [...buildErrors, ...failed]
    if (failures.length === 0 && packages.length === 0) return undefined
    const failedPackages = matchLines(all, /^FAIL\t(\S+)/).length
    const ok = failures.length === 0 && failedPackages === 0
    if (ok) {
      const passed = matchLines(all, PASSED).length
      const tests = passed > 0 ? `${formatQuantity(passed, 'test')} passed` : 'ok'
      return { ok, summary: `${tests}, ${formatQuantity(packages.length, 'package')}`, failures }
    }
    const parts = [
      ...(failed.length > 0 ? [`${formatQuantity(failed.length, 'test')} failed`] : []),
      ...(buildErrors.length > 0 ? [formatQuantity(buildErrors.length, 'build error')] : []),
      ...(failedPackages > 0
        ? [`${failedPackages} of ${formatQuantity(packages.length, 'package')} failed`]
        : []),
    ]
    return { ok, summary: parts.join(', '), failures }
  },
}

/** A test that fails because of a subtest is reported by the subtest alone. */
function parseFailedTests(lines: readonly string[]): DigestFailure[] {
  const names = new Set(matchLines(lines, FAIL).map(([, , name = '']) => name))
  const isParent = (name: string) => [...names].some((other) => other.startsWith(`${name}/`))
  const isVerbose = lines.some((line) => line.startsWith('=== RUN'))
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const name = FAIL.exec(line)?.[2]
    if (name === undefined || (isParent(name) && !failsItself(lines, at))) continue
    const own = isParent(name) ? listOwnLines(lines, at) : lines.slice(at + 1)
    failures.push({ name, ...parseFailure(isVerbose ? filterTestOutput(name, lines) : own) })
  }
  return failures
}

/** Lines of a test, indented more than its name by four, without those of its subtests. */
function listOwnLines(lines: readonly string[], at: number): string[] {
  const indent = `${FAIL.exec(lines[at] ?? '')?.[1] ?? ''}    `
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => !line.startsWith(indent))
  return (end === -1 ? rest : rest.slice(0, end)).filter(
    (line) => line[indent.length] !== ' ' && !FAIL.test(line),
  )
}

/** True if a test with failed subtests has a message of its own. */
function failsItself(lines: readonly string[], at: number): boolean {
  return listOwnLines(lines, at).some((line) => LOCATION.test(line))
}

/** With -v each output line follows a line that names its test. */
function filterTestOutput(name: string, lines: readonly string[]): string[] {
  let current: string | undefined
  return lines.filter((line) => {
    const [, named] = /^=== (?:RUN|CONT|NAME) +(\S+)$/.exec(line) ?? []
    current = named ?? (/^\s*--- /.test(line) ? undefined : current)
    return named === undefined && current === name
  })
}

function parseFailure(rest: readonly string[]): Omit<DigestFailure, 'name'> {
  const end = rest.findIndex((line) => FAIL.test(line) || PACKAGE.test(line))
  const lines = end === -1 ? rest : rest.slice(0, end)
  const logged = selectReason(matchLines(lines, LOCATION))
  const [panic] = matchLines(lines, PANIC)
  if (panic) {
    const [frame] = matchLines(lines, /^\t(\S+_test\.go):(\d+)/)
    const location = frame && { file: frame[1] as string, line: Number(frame[2]) }
    return { ...location, message: `panic: ${panic[1]}` }
  }
  const [assertion] = matchLines(lines, ASSERTION)
  if (!logged) return { message: lines.find((line) => line.trim() !== '')?.trim() ?? 'failed' }
  const message = addDifference(logged[3] || assertion?.[1] || 'failed', lines)
  return { file: logged[1] as string, line: Number(logged[2]), message }
}

/** Logs look like failures: a line with the words of one counts, or else the last, after which the test ended. */
function selectReason(found: readonly RegExpExecArray[]): RegExpExecArray | undefined {
  return found.find(([, , , message = '']) => FAILURE_WORDS.test(message)) ?? found.at(-1)
}
