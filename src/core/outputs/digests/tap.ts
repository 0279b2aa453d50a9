import type { DigestFailure } from './digest.ts'
import { matchLines, type DigestParser } from './parser.ts'

const RESULT = /^(\s*)(not )?ok\b(?: \d+)?(?: - | )?(.*?)(?: # time=.*)?$/
const SKIPPED = /# (?:skip|todo)\b/i
const PLAN = /^1\.\.(\d+)/
const LOCATION = /^\s+(?:at:? .*?\(?|at (?:file|line): ?)([^\s():]+):(\d+)(?::\d+)?\)?$/
const FIELD = /^\s+(message|error|fileName|lineNumber): ?['"|>]?-?(.*?)['"]?$/
const NOISE = /^\s*(?:---|\.\.\.|[a-zA-Z_]+: ?[|>]?-?|at .*|#.*)?$/
const BAILED = /^Bail out! ?(.*)$/
const MAX_DETAIL_LINES = 40

/** The Test Anything Protocol, of any producer. */
export const tapParser: DigestParser = {
  kind: 'tap',
  command: /(?:^|[\s/])(?:tap|tape|prove|bats)(?:\s|$)/,
  // Node's own test runner has a parser that knows more.
  looksLike: (lines) =>
    !lines.some((line) => /^\s+duration_ms: /.test(line)) &&
    (lines.some((line) => /^TAP version \d+$/.test(line)) ||
      (lines.some((line) => PLAN.test(line)) && lines.some((line) => /^(?:not )?ok\b/.test(line)))),
  parse({ all }) {
    const { passed, failures } = parseResults(all)
    for (const [, reason = ''] of matchLines(all, BAILED)) {
      failures.push({ message: `Bail out! ${reason}` })
    }
    const total = passed + failures.length
    if (total === 0) return undefined
    const ok = failures.length === 0
    const summary = ok ? `${passed} tests passed` : `${failures.length}/${total} tests failed`
    return { ok, summary, failures }
  },
}

/** Counts the innermost results. A result follows those of its indented subtests. */
function parseResults(lines: readonly string[]): { passed: number; failures: DigestFailure[] } {
  const failures: DigestFailure[] = []
  let passed = 0
  let deepest = 0
  for (const [at, line] of lines.entries()) {
    const [, indent = '', not, name = ''] = RESULT.exec(line) ?? []
    if (!RESULT.test(line)) continue
    const isParent = indent.length < deepest
    deepest = indent.length
    if (isParent) continue
    if (not === undefined || SKIPPED.test(line)) passed += 1
    else failures.push(describeResult(name, lines.slice(at + 1)))
  }
  return { passed, failures }
}

function describeResult(name: string, rest: readonly string[]): DigestFailure {
  const next = rest.findIndex((line) => RESULT.test(line) || /^\s*1\.\./.test(line))
  const lines = rest.slice(0, Math.min(next === -1 ? rest.length : next, MAX_DETAIL_LINES))
  const fields = new Map(matchLines(lines, FIELD).map(([, key = '', text = '']) => [key, text]))
  const [traced] = matchLines(lines, LOCATION)
  const file = fields.get('fileName') ?? traced?.[1]
  const line = fields.get('lineNumber') ?? traced?.[2]
  return {
    ...(name !== '' && { name }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line: Number(line) }),
    message: findMessage(lines, fields),
  }
}

function findMessage(lines: readonly string[], fields: ReadonlyMap<string, string>): string {
  const named = fields.get('message') || fields.get('error') || describeDifference(lines)
  return named ?? lines.find((each) => !NOISE.test(each))?.trim() ?? 'failed'
}

/** The first expected and the first actual line of a difference. */
function describeDifference(lines: readonly string[]): string | undefined {
  const start = lines.findIndex((line) => /^\s+@@ /.test(line))
  if (start === -1) return undefined
  const [expected] = matchLines(lines.slice(start), /^\s+-(.*)$/)
  const [actual] = matchLines(lines.slice(start), /^\s+\+(.*)$/)
  return `expected ${expected?.[1] ?? 'nothing'}, got ${actual?.[1] ?? 'nothing'}`
}
