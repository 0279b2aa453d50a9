import { PANICKED, parsePanics } from './cargo.ts'
import type { DigestFailure } from './digest.ts'
import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

/** Messages of compilers and interpreters in one line: file, line, message. */
const ONE_LINE: readonly RegExp[] = [
  // javac, kotlinc, rustc --error-format=short, and compilers like these
  /^(?<file>[^\s:]+\.\w+):(?<line>\d+)(?::\d+)?: (?:fatal )?error(?:\[\w+\])?: (?<message>.*)$/,
  // go build, go run
  /^(?<file>\S+\.go):(?<line>\d+)(?::\d+)?: (?<message>.*)$/,
  // csc, mcs
  /^(?<file>[^\s(]+\.\w+)\((?<line>\d+),\d+\): error (?<name>\w+): (?<message>.*)$/,
  // ruby
  /^(?<file>[^\s:]+\.rb):(?<line>\d+): (?<message>(?:syntax error|.*\(SyntaxError\)|.*\(\w*Error\)).*)$/,
  // php
  /^(?:PHP )?(?:Parse|Fatal) error: +(?<message>.*?) in (?<file>\S+) on line (?<line>\d+)$/,
  // perl
  /^(?<message>.*?) at (?<file>\S+\.p[lm]) line (?<line>\d+)[.,].*$/,
  // bash
  /^(?<file>[^\s:]+\.(?:sh|bash)): line (?<line>\d+): (?<message>.*)$/,
  // elixir
  /^\*\* \(\w*Error\) (?<file>[^\s:]+\.exs?):(?<line>\d+):(?:\d+:)? (?<message>.*)$/,
]
const PYTHON = /^ {2}File "(?<file>.+?)", line (?<line>\d+)(?:, in .*)?$/
const NODE = /^(?<file>(?:file:\/\/)?\/\S+\.\w+|\[(?:eval|stdin)\]\d*):(?<line>\d+)$/
const REASON = /^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*$/

/** Compilers and interpreters of inline code, whose first message tells what to change. */
export const compilerParser: DigestParser = {
  kind: 'compiler',
  command: /(?!)/,
  looksLike: (lines) =>
    lines.some((line) => ONE_LINE.some((each) => each.test(line)) || PYTHON.test(line)) ||
    lines.some((line) => NODE.test(line) || PANICKED.test(line)),
  parse({ stdout, stderr, exitCode }) {
    if (exitCode === 0) return undefined
    const lines = stderr.some((line) => line.trim() !== '') ? stderr : stdout
    const located = findLocated(lines)
    const traced = located.length > 0 ? located : findTraceback(lines)
    const failures = traced.length > 0 ? traced : [...parsePanics(lines).values()]
    if (failures.length === 0) return undefined
    return { ok: false, summary: formatQuantity(failures.length, 'error'), failures }
  },
}

function findLocated(lines: readonly string[]): DigestFailure[] {
  return lines.flatMap((line) => {
    const groups = ONE_LINE.map((pattern) => pattern.exec(line)?.groups).find(Boolean)
    return groups ? [toFailure(groups, groups['message'] ?? '')] : []
  })
}

/** The last exception, and the last line of its traceback. */
function findTraceback(lines: readonly string[]): DigestFailure[] {
  const message = lines.findLast((line) => REASON.test(line))
  if (message === undefined) return []
  const before = lines.slice(0, lines.lastIndexOf(message))
  const location = matchLines(before, PYTHON).at(-1) ?? matchLines(before, NODE)[0]
  return location?.groups ? [toFailure(location.groups, message)] : []
}

function toFailure(groups: Record<string, string>, message: string): DigestFailure {
  const { name, file = '', line } = groups
  return {
    ...(name !== undefined && { name }),
    file: file.replace(/^file:\/\//, ''),
    line: Number(line),
    message,
  }
}
