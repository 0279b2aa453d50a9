import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const TIME = / \(\d+(?:\.\d+)?ms\)$/
const SPEC = /^\s*[✖×] (.+)$/
const TAP = /^\s*not ok \d+(?: - (.+?))?(?: # .*)?$/
const RESULT = /^\s*(?:[✔✓✖×▶﹣ℹ] |(?:not )?ok \d+)/
const COUNT = /^(?:ℹ|#) (tests|fail|cancelled) (\d+)$/
const LOCATION = /^test at (.+?):(\d+):\d+$/
const TAP_LOCATION = /^\s*location: '(.+?):(\d+):\d+'$/
const MAX_DETAIL_LINES = 20
const HEADER = 'failing tests:'
/** TAP's own report of a failed suite; its tests carry the details. */
const SUITE_FAILURE = /^\s*(?:failureType: 'subtestsFailed'|error: '\d+ subtests? failed')/

/** Node's test runner, with the spec or the TAP reporter. */
export const nodeTestParser: DigestParser = {
  kind: 'node-test',
  command: /\bnode\b.*\s--test\b/,
  looksLike: (lines) =>
    lines.some((line) => /^TAP version 1[34]$/.test(line)) ||
    (lines.some((line) => /^ℹ tests \d+$/.test(line)) &&
      lines.some((line) => /^ℹ fail \d+$/.test(line))),
  parse({ all }) {
    const counts = parseCounts(all)
    const isTap = all.some((line) => line.startsWith('TAP version'))
    const failures = isTap ? parseFailures(all, TAP) : parseFailures(all, SPEC)
    if (counts.tests === undefined && failures.length === 0) return undefined
    const failed = Math.max(
      (counts.fail ?? 0) + (counts.cancelled ?? 0),
      counts.fail ?? failures.length,
    )
    const ok = failed === 0 && failures.length === 0
    if (ok) return { ok, summary: `${formatQuantity(counts.tests ?? 0, 'test')} passed`, failures }
    const total = counts.tests === undefined ? '' : `/${counts.tests}`
    return { ok, summary: `${failed}${total} tests failed`, failures }
  },
}

/** Sums the counts of all reports in the output. */
function parseCounts(
  lines: readonly string[],
): Partial<Record<'tests' | 'fail' | 'cancelled', number>> {
  const counts: Partial<Record<'tests' | 'fail' | 'cancelled', number>> = {}
  for (const [, name, number] of matchLines(lines, COUNT)) {
    const key = name as 'tests' | 'fail' | 'cancelled'
    counts[key] = (counts[key] ?? 0) + Number(number)
  }
  return counts
}

/**
 * One failure per name, with its first message. Suites are skipped: they fail only because of their
 * tests.
 */
function parseFailures(lines: readonly string[], pattern: RegExp): DigestFailure[] {
  const found = new Map<string, DigestFailure>()
  const suites = parseSuiteNames(lines)
  for (const [at, line] of lines.entries()) {
    const name = pattern.exec(line)?.[1]?.replace(TIME, '')
    if (name === undefined || name === HEADER || suites.has(name)) continue
    const reason = findFailureReason(lines, at)
    // The list of failures at the end, if any, also has the location.
    if (reason) found.set(name, { name, ...reason, ...found.get(name), ...reason.location })
  }
  return [...found.values()].map(({ name, file, line, message }) => ({
    ...(name !== undefined && { name }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    message,
  }))
}

/** Names of suites in the spec report; their tests are listed below them. */
function parseSuiteNames(lines: readonly string[]): Set<string> {
  return new Set(matchLines(lines, /^\s*▶ (.+)$/).map(([, name = '']) => name.replace(TIME, '')))
}

interface FailureReason {
  message: string
  location?: { file: string; line: number }
}

/** Undefined for a suite. */
function findFailureReason(lines: readonly string[], at: number): FailureReason | undefined {
  const rest = lines.slice(at + 1, at + 1 + MAX_DETAIL_LINES)
  const end = rest.findIndex((line) => RESULT.test(line))
  const details = end === -1 ? rest : rest.slice(0, end)
  if (details.some((line) => SUITE_FAILURE.test(line))) return undefined
  const [before] = matchLines(lines.slice(Math.max(0, at - 1), at), LOCATION)
  const [inside] = matchLines(details, TAP_LOCATION)
  const location = before ?? inside
  const text = details.find((line) => /^\s+\S*Error\b/.test(line)) ?? findTapError(details)
  return {
    message: text?.trim() ?? 'failed',
    ...(location && {
      location: { file: stripFileScheme(location[1] ?? ''), line: Number(location[2]) },
    }),
  }
}

/** `error: 'text'`, or the first line of a block. */
function findTapError(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => /^\s*error: /.test(line))
  const text = lines[at]?.replace(/^\s*error: /, '')
  if (text === undefined || /^[|>]-?$/.test(text)) return lines[at + 1]
  return text.replace(/^'(.*)'$/, '$1')
}

function stripFileScheme(path: string): string {
  return path.replace(/^file:\/\//, '')
}
