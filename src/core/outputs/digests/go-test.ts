import type { DigestFailure } from './digest.ts'
import { formatCount, matchLines, type DigestParser } from './parser.ts'

const FAIL = /^(\s*)--- FAIL: (\S+) \([\d.]+s\)$/
const LOCATION = /^\s+(\S+\.go):(\d+): (.*)$/
const PANIC = /^panic: (.*?)(?: \[recovered\])?$/
const PACKAGE = /^(?:FAIL|ok|---|\?) {0,3}\t(\S+)\t?.*$/
const BUILD_ERROR = /^(\S+\.go):(\d+):(?:\d+:)? (.*)$/
const BUILD_FAILED = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/
const PASSED = /^\s*--- PASS: /

/** `go test`, and what `go build` and `go vet` find on the way there. */
export const goTestParser: DigestParser = {
  kind: 'go-test',
  command: /(?:^|[\s/])go (?:test|build|vet|run)(?:\s|$)/,
  looksLike: (lines) =>
    lines.some(
      (line) =>
        FAIL.test(line) || /^(?:FAIL|ok {2})\t\S+\t[\d.(]/.test(line) || BUILD_FAILED.test(line),
    ),
  parse({ all }) {
    const broken = matchLines(all, BUILD_ERROR).map(([, file = '', line, message = '']) => ({
      file,
      line: Number(line),
      message,
    }))
    const failed = parseFailedTests(all)
    const packages = matchLines(all, /^(?:FAIL|ok {2})\t(\S+)/)
    const failures = [...broken, ...failed]
    if (failures.length === 0 && packages.length === 0) return undefined
    const bad = matchLines(all, /^FAIL\t(\S+)/).length
    const ok = failures.length === 0 && bad === 0
    if (ok) {
      const passed = matchLines(all, PASSED).length
      const tests = passed > 0 ? `${formatCount(passed, 'test')} passed` : 'ok'
      return { ok, summary: `${tests}, ${formatCount(packages.length, 'package')}`, failures }
    }
    const parts = [
      ...(failed.length > 0 ? [`${formatCount(failed.length, 'test')} failed`] : []),
      ...(broken.length > 0 ? [formatCount(broken.length, 'build error')] : []),
      ...(bad > 0 ? [`${bad} of ${formatCount(packages.length, 'package')} failed`] : []),
    ]
    return { ok, summary: parts.join(', '), failures }
  },
}

/** A test that fails because of a part of it says so by that part alone. */
function parseFailedTests(lines: readonly string[]): DigestFailure[] {
  const names = new Set(matchLines(lines, FAIL).map(([, , name = '']) => name))
  const isWhole = (name: string) => [...names].some((other) => other.startsWith(`${name}/`))
  const isVerbose = lines.some((line) => line.startsWith('=== RUN'))
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const name = FAIL.exec(line)?.[2]
    if (name === undefined || isWhole(name)) continue
    failures.push({
      name,
      ...parseFailure(isVerbose ? filterTestOutput(name, lines) : lines.slice(at + 1)),
    })
  }
  return failures
}

/** With -v each line stands below the name of the test that says it. */
function filterTestOutput(name: string, lines: readonly string[]): string[] {
  let speaker: string | undefined
  return lines.filter((line) => {
    const [, said] = /^=== (?:RUN|CONT|NAME) +(\S+)$/.exec(line) ?? []
    speaker = said ?? (/^\s*--- /.test(line) ? undefined : speaker)
    return said === undefined && speaker === name
  })
}

function parseFailure(rest: readonly string[]): Omit<DigestFailure, 'name'> {
  const end = rest.findIndex((line) => FAIL.test(line) || PACKAGE.test(line))
  const own = end === -1 ? rest : rest.slice(0, end)
  const [where] = matchLines(own, LOCATION)
  const [panic] = matchLines(own, PANIC)
  if (panic) {
    const [frame] = matchLines(own, /^\t(\S+_test\.go):(\d+)/)
    const place = frame && { file: frame[1] as string, line: Number(frame[2]) }
    return { ...place, message: `panic: ${panic[1]}` }
  }
  if (!where) return { message: own.find((line) => line.trim() !== '')?.trim() ?? 'failed' }
  return { file: where[1] as string, line: Number(where[2]), message: where[3] as string }
}
