import { diffLines, type LineChange } from '../../util/unified-diff.ts'

/** A part of a line; `isChanged` marks words that the other line does not have. */
interface TextSegment {
  text: string
  isChanged: boolean
}

export interface HunkLine {
  kind: ' ' | '-' | '+'
  segments: readonly TextSegment[]
}

/** Neighbouring changed lines with lines around them. */
export interface TextHunk {
  /** First lines in both files, from 1. */
  beforeLine: number
  afterLine: number
  lines: readonly HunkLine[]
}

const CONTEXT_LINES = 2
/** Limit on changed lines of one file. */
const MAX_LINES = 400
const MAX_LINE_LENGTH = 600
/** Lines above this number are not compared with one another. */
const MAX_WORDS = 400

/** The changed lines of two texts. The numbers of the first lines are those in the files. */
export function createHunks(
  before: string,
  after: string,
  first: { before: number; after: number } = { before: 1, after: 1 },
): { hunks: TextHunk[]; linesLeftOut: number } {
  const changes = numberLines(diffLines(splitText(before), splitText(after)), first)
  const changed = changes.flatMap(({ kind }, index) => (kind === ' ' ? [] : [index]))
  const end = changed[MAX_LINES] ?? changes.length
  const hunks = groupLines(changed.slice(0, MAX_LINES), end).map(([from, to]) => {
    const lines = changes.slice(from, to)
    const { beforeLine = 1, afterLine = 1 } = lines[0] ?? {}
    return { beforeLine, afterLine, lines: markWords(lines) }
  })
  return { hunks, linesLeftOut: Math.max(0, changed.length - MAX_LINES) }
}

interface NumberedLine extends LineChange {
  beforeLine: number
  afterLine: number
}

function numberLines(
  changes: readonly LineChange[],
  first: { before: number; after: number },
): NumberedLine[] {
  let { before, after } = first
  return changes.map(({ kind, line }) => {
    const numbered = { kind, line, beforeLine: before, afterLine: after }
    if (kind !== '+') before += 1
    if (kind !== '-') after += 1
    return numbered
  })
}

/** Ranges of lines around changed ones; ranges that touch are one. */
function groupLines(changed: readonly number[], end: number): [from: number, to: number][] {
  const ranges: [from: number, to: number][] = []
  for (const index of changed) {
    const last = ranges.at(-1)
    const to = Math.min(end, index + CONTEXT_LINES + 1)
    if (last && index - CONTEXT_LINES <= last[1]) last[1] = to
    else ranges.push([Math.max(0, index - CONTEXT_LINES), to])
  }
  return ranges
}

function splitText(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Marks the changed words of lines that replace the same number of lines. */
function markWords(changes: readonly LineChange[]): HunkLine[] {
  const lines: HunkLine[] = []
  for (let at = 0; at < changes.length;) {
    const removed = takeWhile(changes, at, '-')
    const added = takeWhile(changes, at + removed.length, '+')
    if (removed.length + added.length === 0) {
      const { line } = changes[at] as LineChange
      lines.push({ kind: ' ', segments: [{ text: shortenLine(line), isChanged: false }] })
      at += 1
      continue
    }
    const pairs = removed.length === added.length ? removed.length : 0
    const marked = Array.from({ length: pairs }, (_, index) =>
      markPair(removed[index] as string, added[index] as string),
    )
    removed.forEach((line, index) =>
      lines.push({ kind: '-', segments: marked[index]?.before ?? markWhole(line) }),
    )
    added.forEach((line, index) =>
      lines.push({ kind: '+', segments: marked[index]?.after ?? markWhole(line) }),
    )
    at += removed.length + added.length
  }
  return lines
}

function takeWhile(changes: readonly LineChange[], from: number, kind: '-' | '+'): string[] {
  const lines: string[] = []
  for (let at = from; changes[at]?.kind === kind; at++) lines.push((changes[at] as LineChange).line)
  return lines
}

function markWhole(line: string): TextSegment[] {
  return [{ text: shortenLine(line), isChanged: false }]
}

function shortenLine(line: string): string {
  const left = line.length - MAX_LINE_LENGTH
  return left > 0 ? `${line.slice(0, MAX_LINE_LENGTH)} … (${left} more characters)` : line
}

/** Changed words of two lines; lines with nothing in common are not marked. */
function markPair(
  before: string,
  after: string,
): { before: TextSegment[]; after: TextSegment[] } | undefined {
  const [old, now] = [splitWords(shortenLine(before)), splitWords(shortenLine(after))]
  if (old.length > MAX_WORDS || now.length > MAX_WORDS) return undefined
  const changes = diffLines(old, now)
  if (!changes.some(({ kind, line }) => kind === ' ' && /[\p{L}\p{N}]/u.test(line)))
    return undefined
  const collect = (kind: '-' | '+') =>
    joinSegments(
      changes
        .filter((change) => change.kind === ' ' || change.kind === kind)
        .map((change) => ({ text: change.line, isChanged: change.kind !== ' ' })),
    )
  return { before: collect('-'), after: collect('+') }
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

function joinSegments(segments: readonly TextSegment[]): TextSegment[] {
  const joined: TextSegment[] = []
  for (const segment of segments) {
    const last = joined.at(-1)
    if (last?.isChanged === segment.isChanged) last.text += segment.text
    else joined.push({ ...segment })
  }
  return joined
}
