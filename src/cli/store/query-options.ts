import {
  DEFAULT_CONTEXT,
  DEFAULT_EXCERPTS,
  QUERY_BOUNDS,
} from '../../core/methods/runtime-query-output/bounds.ts'
import type { QueryOutputParams } from '../../core/methods/runtime-query-output/definition.ts'
import { STREAM_NAMES, type StreamName } from '../../core/outputs/store/output-store.ts'
import type { Cursor } from '../../core/outputs/query/search-page.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'

/** Reads the query of a command line; without a position, reads from the beginning. */
export function readOutputQuery(call: CommandLine): Omit<QueryOutputParams, 'artifactHandle'> {
  const queryTerms = call.args.slice(1)
  const lines = getTextOption(call, 'lines')
  const cursorText = getTextOption(call, 'cursor')
  if (lines !== undefined && (queryTerms.length > 0 || cursorText !== undefined)) {
    throw new SkillsError('usage/invalid', '--lines cannot be combined with terms or --cursor', {
      hint: 'Remove the terms to print lines, or --lines to search',
    })
  }
  const stream = getTextOption(call, 'stream') as QueryOutputParams['stream']
  const [leastContext, mostContext] = QUERY_BOUNDS.contextLines
  const [leastCount, mostCount] = QUERY_BOUNDS.maxExcerpts
  const isReading = queryTerms.length === 0
  return {
    queryTerms,
    ...readRegexAndTail(call, { isReading, hasLines: lines !== undefined }),
    stream,
    repoId: getTextOption(call, 'repo'),
    view: getFlagOption(call, 'raw') ? 'raw' : 'model',
    contextLines: readNumberOption(call, 'context', [leastContext, mostContext]) ?? DEFAULT_CONTEXT,
    maxExcerpts:
      readNumberOption(call, 'max', [leastCount, mostCount]) ??
      (isReading ? mostCount : DEFAULT_EXCERPTS),
    ...(lines !== undefined && {
      lineRange: { ...parseLineRange(lines), stream: selectFirstStream(stream) },
    }),
    ...(lines === undefined && parseCursor(cursorText, { isReading, stream })),
  }
}

function readRegexAndTail(
  call: CommandLine,
  { isReading, hasLines }: { isReading: boolean; hasLines: boolean },
): Pick<QueryOutputParams, 'regex' | 'tail'> {
  const regex = getFlagOption(call, 'regex')
  const tail = readNumberOption(call, 'tail', QUERY_BOUNDS.tail)
  if (tail !== undefined && hasLines) {
    throw new SkillsError('usage/invalid', '--tail cannot be combined with --lines', {
      hint: 'Remove --lines to print the last lines',
    })
  }
  if (regex && isReading) {
    throw new SkillsError('usage/invalid', '--regex needs a regular expression to search for', {
      hint: "Write it after the run: skills runs query <run> --regex 'error|failed'",
    })
  }
  return { ...(regex && { regex }), ...(tail !== undefined && { tail }) }
}

/** Formats a cursor for `--cursor`. */
export function formatCursor({ stream, afterLine, afterByte }: Cursor): string {
  return [stream, afterLine, ...(afterByte === undefined ? [] : [afterByte])].join(':')
}

function parseCursor(
  text: string | undefined,
  { isReading, stream }: { isReading: boolean; stream: QueryOutputParams['stream'] },
): { cursor?: Cursor } {
  if (text === undefined) {
    return isReading ? { cursor: { stream: selectFirstStream(stream), afterLine: 0 } } : {}
  }
  const [, name, line, byte] = /^(stdout|stderr):(\d{1,15})(?::(\d{1,15}))?$/.exec(text) ?? []
  if (name === undefined) {
    throw new SkillsError('usage/invalid', `Expected a stream and a line, got "${text}"`, {
      hint: 'Write it as --cursor stdout:120, as printed by the previous page',
    })
  }
  const position = { stream: name as StreamName, afterLine: Number(line) }
  return { cursor: byte === undefined ? position : { ...position, afterByte: Number(byte) } }
}

/** The stream of the first page. */
function selectFirstStream(stream: QueryOutputParams['stream']): StreamName {
  return stream === 'stderr' ? 'stderr' : STREAM_NAMES[0]
}

/** Parses `5`, `5-10` or `5-`. */
function parseLineRange(text: string): { startLine: number; endLine: number } {
  const [, first, dash, last] = /^(\d{1,15})(-(\d{1,15})?)?$/.exec(text) ?? []
  const startLine = Number(first)
  const open = dash === undefined ? startLine : Number.MAX_SAFE_INTEGER
  const endLine = last === undefined ? open : Number(last)
  if (startLine >= 1 && endLine >= startLine) return { startLine, endLine }
  throw new SkillsError('usage/invalid', `Expected lines such as 5-10, got "${text}"`, {
    hint: 'Write them as --lines 5, --lines 5-10 or --lines 5-',
  })
}

function readNumberOption(
  call: CommandLine,
  name: string,
  [min, max]: readonly [number, number],
): number | undefined {
  const text = getTextOption(call, name)
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (value >= min && value <= max) return value
  throw new SkillsError(
    'usage/invalid',
    `Expected a whole number from ${min} to ${max} for --${name}, got "${text}"`,
    { hint: `Write it as --${name} ${Math.min(max, 20)}` },
  )
}
