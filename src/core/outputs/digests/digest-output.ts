import { stripVTControlCharacters } from 'node:util'
import { cargoParser } from './cargo.ts'
import type { Digest, DigestFailure, DigestKind } from './digest.ts'
import { eslintParser } from './eslint.ts'
import { gccParser } from './gcc.ts'
import { digestAnything } from './generic.ts'
import { goTestParser } from './go-test.ts'
import { mypyParser } from './mypy.ts'
import { nodeTestParser } from './node-test.ts'
import { npmParser } from './npm.ts'
import type { DigestInput, DigestParser, Parsed } from './parser.ts'
import { pytestParser } from './pytest.ts'
import { ruffParser } from './ruff.ts'
import { tscParser } from './tsc.ts'
import { vitestParser } from './vitest.ts'

const MOST_FAILURES = 20
const LONGEST_MESSAGE = 200
/** Nothing that a parser looks for lies beyond it. */
const LONGEST_LINE = 2000
/** Nobody else is answered while lines are looked at; between these, none is. */
const FIRST_LINES = 50_000
const LAST_LINES = 100_000

/** The order is the one in which looks decide: what is more peculiar comes first. */
const PARSERS: readonly DigestParser[] = [
  tscParser,
  nodeTestParser,
  vitestParser,
  pytestParser,
  goTestParser,
  cargoParser,
  eslintParser,
  gccParser,
  mypyParser,
  ruffParser,
  npmParser,
]

interface DigestOptions {
  exitCode: number | null
  /** What was run: program, arguments and the first line of code. */
  command?: string | undefined
  /** Files below this folder are named from there. */
  root?: string | undefined
}

/** What a build or a test run came to: by the tool that was run, or that it looks like. */
export function digestOutput(
  text: { stdout: string; stderr: string },
  { exitCode, command = '', root }: DigestOptions,
): Digest {
  const [stdout, stderr] = [linesOf(text.stdout), linesOf(text.stderr)]
  const input: DigestInput = { stdout, stderr, all: [...stdout, ...stderr], exitCode }
  for (const parser of candidates(command, input.all)) {
    const parsed = parser.parse(input)
    if (parsed && explains(parsed, exitCode)) {
      return toDigest(parser.kind, parsed, { exitCode, root })
    }
  }
  const { excerpt, ...parsed } = digestAnything(input)
  return { ...toDigest('generic', parsed, { exitCode, root }), ...(excerpt && { excerpt }) }
}

/** Those that the command names, then those that the text looks like. */
function candidates(command: string, lines: readonly string[]): Set<DigestParser> {
  return new Set([
    ...PARSERS.filter((parser) => parser.command.test(command)),
    ...PARSERS.filter((parser) => parser.looksLike(lines)),
  ])
}

/** A tool that finds nothing wrong does not explain why it failed; the general excerpt does. */
function explains({ failures, ok }: Parsed, exitCode: number | null): boolean {
  return exitCode === 0 || failures.length > 0 || !ok
}

function toDigest(
  kind: DigestKind,
  { ok, summary, failures }: Parsed,
  { exitCode, root }: Pick<DigestOptions, 'exitCode' | 'root'>,
): Digest {
  const more = failures.length - MOST_FAILURES
  return {
    kind,
    ok: exitCode === 0,
    summary: exitCode === 0 && !ok ? `${summary} (exit code 0)` : summary,
    failures: failures.slice(0, MOST_FAILURES).map((failure) => tidy(failure, root)),
    ...(more > 0 && { truncatedFailures: more }),
  }
}

function tidy({ name, file, line, message }: DigestFailure, root: string | undefined) {
  const [first = ''] = message.trim().split('\n', 1)
  return {
    ...(name !== undefined && { name: cut(name) }),
    ...(file !== undefined && { file: relativeTo(root, file) }),
    ...(line !== undefined && { line }),
    message: cut(first.trim()),
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 1)}…`
}

/** With slashes, and without the folder that everything lies in. */
function relativeTo(root: string | undefined, path: string): string {
  const plain = path.replaceAll('\\', '/').replace(/^\.\//, '')
  if (root === undefined || root === '') return plain
  const folder = `${root.replaceAll('\\', '/').replace(/\/+$/, '')}/`
  return plain.toLowerCase().startsWith(folder.toLowerCase()) ? plain.slice(folder.length) : plain
}

function linesOf(whole: string): string[] {
  const text = withoutMiddle(whole)
  const plain = text.includes('\u001b') ? stripVTControlCharacters(text) : text
  const lines = plain.split(/\r?\n/).map((line) => line.slice(0, LONGEST_LINE))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function withoutMiddle(text: string): string {
  let head = 0
  for (let count = 0; count < FIRST_LINES; count++) {
    head = text.indexOf('\n', head) + 1
    if (head === 0) return text
  }
  let tail = text.length
  for (let count = 0; count <= LAST_LINES; count++) {
    tail = text.lastIndexOf('\n', tail - 1)
    if (tail < head) return text
  }
  return text.slice(0, head) + text.slice(tail + 1)
}
