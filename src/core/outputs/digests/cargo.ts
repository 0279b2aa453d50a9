import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const ERROR = /^error(?:\[(E\d+)\])?: (.*)$/
const ARROW = /^ *--> (.+?):(\d+):\d+$/
export const PANICKED = /^thread '(.+?)'(?: \(\d+\))? panicked at (?:'(.*)', )?(.+?):(\d+):\d+:?$/
const FAILED = /^test (\S+)(?: - should panic)? \.\.\. FAILED$/
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed;/
/** Lines that cargo prints after rustc has reported the errors. */
const CARGO_EPILOGUE =
  /^(?:could not compile|aborting due to|\d+ targets? failed|test failed|process didn't exit)/

/** Cargo and rustc: failed tests and compile errors. */
export const cargoParser: DigestParser = {
  kind: 'cargo',
  command: /(?:^|[\s/])(?:cargo|rustc)(?:\s|$)/,
  looksLike: (lines) =>
    lines.some((line) => RESULT.test(line) || /^error\[E\d{4}\]: /.test(line)) ||
    lines.some((line) => /^ {3}Compiling \S+ v\d/.test(line)),
  parse({ stdout, stderr, all, exitCode }) {
    const errors = parseCompileErrors(stderr.length > 0 ? [...stderr, ...stdout] : stdout)
    const panics = parsePanics(all)
    const failed = matchLines(all, FAILED).map(
      ([, name = '']): DigestFailure => panics.get(name) ?? { name, message: 'failed' },
    )
    const results = matchLines(all, RESULT)
    const failures = [...errors, ...failed]
    if (failures.length === 0 && results.length === 0) {
      return exitCode === 0 ? { ok: true, summary: 'no errors', failures } : undefined
    }
    const sumColumn = (at: number) => results.reduce((total, found) => total + Number(found[at]), 0)
    const ok = failures.length === 0 && sumColumn(2) === 0
    if (ok) return { ok, summary: `${formatQuantity(sumColumn(1), 'test')} passed`, failures }
    const tests = `${sumColumn(2)}/${sumColumn(1) + sumColumn(2)} tests failed`
    const summary = errors.length > 0 ? formatQuantity(errors.length, 'error') : tests
    return { ok, summary, failures }
  },
}

function parseCompileErrors(lines: readonly string[]): DigestFailure[] {
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const [, name, message = ''] = ERROR.exec(line) ?? []
    if (message === '' || CARGO_EPILOGUE.test(message)) continue
    const [location] = matchLines(lines.slice(at + 1, at + 3), ARROW)
    failures.push({
      ...(name !== undefined && { name }),
      ...(location && { file: location[1] as string, line: Number(location[2]) }),
      message,
    })
  }
  return failures
}

/** The first panic of each thread, which has the name of its test. */
export function parsePanics(lines: readonly string[]): Map<string, DigestFailure> {
  const panics = new Map<string, DigestFailure>()
  for (const [at, line] of lines.entries()) {
    const [, name, inline, file, number] = PANICKED.exec(line) ?? []
    if (name === undefined || file === undefined || panics.has(name)) continue
    const message = inline ?? lines[at + 1] ?? 'panicked'
    panics.set(name, { name, file, line: Number(number), message })
  }
  return panics
}
