import { stripColors } from '../../../util/strip-colors.ts'
import { cargoParser } from './cargo.ts'
import { compilerParser } from './compiler.ts'
import type { Digest, DigestFailure, DigestKind } from './digest.ts'
import { dotnetParser } from './dotnet.ts'
import { eslintParser } from './eslint.ts'
import { gccParser } from './gcc.ts'
import { digestGeneric } from './generic.ts'
import { goTestParser } from './go-test.ts'
import { gradleParser } from './gradle.ts'
import { mavenParser } from './maven.ts'
import { mochaParser } from './mocha.ts'
import { mypyParser } from './mypy.ts'
import { nodeTestParser } from './node-test.ts'
import { npmParser } from './npm.ts'
import type { DigestInput, DigestParser, ParsedOutput } from './parser.ts'
import { phpunitParser } from './phpunit.ts'
import { pytestParser } from './pytest.ts'
import { rspecParser } from './rspec.ts'
import { ruffParser } from './ruff.ts'
import { tapParser } from './tap.ts'
import { tscParser } from './tsc.ts'
import { vitestParser } from './vitest.ts'

const MAX_FAILURES = 20
const MAX_MESSAGE_LENGTH = 200
/** Parsers match nothing beyond this length. */
const MAX_LINE_LENGTH = 2000
/** Parsing blocks the event loop, so lines between the first and the last ones are skipped. */
const MAX_HEAD_LINES = 50_000
const MAX_TAIL_LINES = 100_000

/** Ordered from the most specific to the least specific format. */
const PARSERS: readonly DigestParser[] = [
  tscParser,
  tapParser,
  nodeTestParser,
  vitestParser,
  pytestParser,
  goTestParser,
  cargoParser,
  eslintParser,
  gccParser,
  mypyParser,
  ruffParser,
  mochaParser,
  rspecParser,
  phpunitParser,
  mavenParser,
  gradleParser,
  dotnetParser,
  npmParser,
  compilerParser,
]

interface DigestOptions {
  exitCode: number | null
  /** The command line: program, arguments and the first line of code. */
  command?: string | undefined
  /** Files below this folder are reported relative to it. */
  root?: string | undefined
}

/**
 * Summarizes the output of a build or test run, by the tool that the command names or whose format
 * the output has.
 */
export function digestOutput(
  text: { stdout: string; stderr: string },
  { exitCode, command = '', root }: DigestOptions,
): Digest {
  const [stdout, stderr] = [splitLines(text.stdout), splitLines(text.stderr)]
  const input: DigestInput = { stdout, stderr, all: [...stdout, ...stderr], exitCode }
  for (const parser of selectParsers(command, input.all)) {
    const parsed = parser.parse(input)
    if (parsed && explainsExitCode(parsed, exitCode)) {
      return toDigest(parser.kind, parsed, { exitCode, root })
    }
  }
  const { excerpt, ...parsed } = digestGeneric(input)
  return { ...toDigest('generic', parsed, { exitCode, root }), ...(excerpt && { excerpt }) }
}

/** Parsers that the command names, then those whose format the output has. */
function selectParsers(command: string, lines: readonly string[]): Set<DigestParser> {
  return new Set([
    ...PARSERS.filter((parser) => parser.command.test(command)),
    ...PARSERS.filter((parser) => parser.looksLike(lines)),
  ])
}

/**
 * A tool that reports no failure does not explain a non-zero exit code; the generic excerpt does.
 */
function explainsExitCode({ failures, ok }: ParsedOutput, exitCode: number | null): boolean {
  return exitCode === 0 || failures.length > 0 || !ok
}

function toDigest(
  kind: DigestKind,
  { ok, summary, failures }: ParsedOutput,
  { exitCode, root }: Pick<DigestOptions, 'exitCode' | 'root'>,
): Digest {
  const more = failures.length - MAX_FAILURES
  return {
    kind,
    ok: exitCode === 0,
    summary: exitCode === 0 && !ok ? `${summary} (exit code 0)` : summary,
    failures: failures.slice(0, MAX_FAILURES).map((failure) => normalizeFailure(failure, root)),
    ...(more > 0 && { truncatedFailures: more }),
  }
}

function normalizeFailure({ name, file, line, message }: DigestFailure, root: string | undefined) {
  const [first = ''] = message.trim().split('\n', 1)
  return {
    ...(name !== undefined && { name: truncateMessage(name) }),
    ...(file !== undefined && { file: toRelativePath(root, file) }),
    ...(line !== undefined && { line }),
    message: truncateMessage(first.trim()),
  }
}

function truncateMessage(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`
}

/** Uses forward slashes and removes the root folder. */
function toRelativePath(root: string | undefined, path: string): string {
  const plain = path.replaceAll('\\', '/').replace(/^\.\//, '')
  if (root === undefined || root === '') return plain
  const folder = `${root.replaceAll('\\', '/').replace(/\/+$/, '')}/`
  return plain.toLowerCase().startsWith(folder.toLowerCase()) ? plain.slice(folder.length) : plain
}

function splitLines(output: string): string[] {
  const text = dropMiddleLines(output)
  const lines = stripColors(text)
    .split(/\r?\n/)
    .map((line) => line.slice(0, MAX_LINE_LENGTH))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function dropMiddleLines(text: string): string {
  let head = 0
  for (let count = 0; count < MAX_HEAD_LINES; count++) {
    head = text.indexOf('\n', head) + 1
    if (head === 0) return text
  }
  let tail = text.length
  for (let count = 0; count <= MAX_TAIL_LINES; count++) {
    tail = text.lastIndexOf('\n', tail - 1)
    if (tail < head) return text
  }
  return text.slice(0, head) + text.slice(tail + 1)
}
