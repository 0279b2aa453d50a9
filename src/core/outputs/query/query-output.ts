import { isUtf8 } from 'node:buffer'
import { LineHeadAndTail } from '../view/head-and-tail.ts'
import { createTermMatcher } from './match-terms.ts'
import { createRegexMatcher } from './match-regex.ts'
import { MatchTail } from './match-tail.ts'
import { STREAM_NAMES, type OpenOutput, type StreamName } from '../store/output-store.ts'
import type { Excerpt } from '../view/output-view.ts'
import { findLineTail, MAX_READ_BYTES, readLineSlice, type LineSlice } from './read-lines.ts'
import { searchStream } from './search-lines.ts'
import { SearchPage, type Cursor } from './search-page.ts'
import { formatOutputText, type OutputTextView } from '../view/format-output-text.ts'

/** Query of an output: a range of lines, or terms, or the lines after a cursor. */
export interface OutputQuery {
  streams: readonly StreamName[]
  terms: readonly string[]
  /** True if the terms are regular expressions, which must be valid. */
  isRegex?: boolean | undefined
  /** Only so many lines or matches at the end of each stream. */
  tail?: number | undefined
  maxExcerpts: number
  contextLines: number
  view: OutputTextView
  cursor?: Cursor | undefined
  lineRange?: { stream: StreamName; startLine: number; endLine: number } | undefined
}

export const MATCH_STATUSES = ['matched', 'noMatch', 'noMatchFallback', 'lineRange'] as const
type MatchStatus = (typeof MATCH_STATUSES)[number]

export interface OutputQueryResult {
  excerpts: Excerpt[]
  /** Lines of the searched streams, including those before the cursor. */
  totalLines: number
  totalBytes: number
  searchedStreams: readonly StreamName[]
  matchStatus: MatchStatus
  /** Matching lines after the cursor, including lines without an excerpt. */
  matchCount: number
  /** Matching lines, or lines without terms, that `tail` cuts off after the cursor. */
  omitted?: number
  /** Start of the next page; absent on the last page. */
  nextCursor?: Cursor
}

type QueryPage = Pick<OutputQueryResult, 'excerpts' | 'matchStatus' | 'matchCount' | 'omitted'> & {
  nextCursor: Cursor | undefined
}

/** Runs a query; its memory does not grow with the size of the output. */
export async function queryOutput(
  output: OpenOutput,
  query: OutputQuery,
): Promise<OutputQueryResult> {
  const { lineRange } = query
  const searchedStreams = lineRange ? [lineRange.stream] : query.streams
  const sumStreams = (unit: 'lines' | 'bytes') =>
    searchedStreams.reduce((total, name) => total + output.streams[name][unit], 0)
  const { nextCursor, ...found } = await runQuery(output, query)
  return {
    ...found,
    totalLines: sumStreams('lines'),
    totalBytes: sumStreams('bytes'),
    searchedStreams,
    ...(nextCursor && { nextCursor }),
  }
}

async function runQuery(output: OpenOutput, query: OutputQuery): Promise<QueryPage> {
  const { lineRange, terms } = query
  if (lineRange) {
    const { stream, startLine: from, endLine: to } = lineRange
    const span = { from, to, fromByte: 0, maxBytes: MAX_READ_BYTES }
    const read = await readLineSlice(output.streams[stream], span)
    // A range that was read to its end has no next page.
    const next = read?.next && read.to < to ? { stream, ...read.next } : undefined
    const excerpts = read ? [toExcerpt(stream, read, { output, query })] : []
    return { excerpts, matchStatus: 'lineRange', matchCount: 0, nextCursor: next }
  }
  if (terms.length === 0) return await readLinePage(output, query)
  const found = await searchOutput(output, query)
  if (found.matchCount > 0 || query.cursor) return found
  const excerpts = await readFirstLines(output, query)
  const matchStatus = excerpts.length > 0 ? 'noMatchFallback' : 'noMatch'
  return { ...found, excerpts, matchStatus }
}

/** Lists the streams to read and the cursor where each begins; skips those before the cursor. */
function listSearchRanges({
  streams,
  cursor,
}: OutputQuery): { source: StreamName; after: Cursor }[] {
  const isBeforeCursor = (name: StreamName) => cursor?.stream === 'stderr' && name === 'stdout'
  return STREAM_NAMES.filter((name) => streams.includes(name) && !isBeforeCursor(name)).map(
    (source) => ({
      source,
      after: cursor?.stream === source ? cursor : { stream: source, afterLine: 0 },
    }),
  )
}

async function searchOutput(output: OpenOutput, query: OutputQuery): Promise<QueryPage> {
  const { terms, tail, contextLines } = query
  const page = new SearchPage(query)
  const matcher = query.isRegex === true ? createRegexMatcher(terms) : createTermMatcher(terms)
  let omitted = 0
  for (const { source, after } of listSearchRanges(query)) {
    const stream = output.streams[source]
    let { afterLine } = after
    if (tail !== undefined) {
      const last = new MatchTail(tail)
      await searchStream(stream, { source, matcher, page: last, afterLine })
      const start = last.findStart(contextLines)
      if (start === undefined) continue
      omitted += last.omitted
      afterLine = Math.max(afterLine, start)
    }
    await searchStream(stream, { source, matcher, page, afterLine })
  }
  const { language } = output
  const { nextCursor } = page
  const matchCount = page.matchCount + omitted
  const excerpts = page.excerpts.map((each) => ({
    ...each,
    content: formatOutputText(each.content, { view: query.view, language }),
  }))
  return {
    excerpts,
    matchCount,
    ...(tail !== undefined && { omitted }),
    nextCursor,
    matchStatus: matchCount > 0 ? 'matched' : 'noMatch',
  }
}

/**
 * Reads up to `maxExcerpts` lines after the cursor, without search; continues with stderr when
 * stdout ends.
 */
async function readLinePage(output: OpenOutput, query: OutputQuery): Promise<QueryPage> {
  const { tail } = query
  const excerpts: Excerpt[] = []
  let nextCursor: Cursor | undefined
  let remainingLines = query.maxExcerpts
  let maxBytes = MAX_READ_BYTES
  let omitted = 0
  for (const { source, after: position } of listSearchRanges(query)) {
    const stream = output.streams[source]
    const last = await findLineTail(stream, tail)
    let after = position
    if (last.afterLine > position.afterLine) {
      omitted += last.afterLine - position.afterLine
      after = { stream: source, afterLine: last.afterLine }
    }
    const { afterLine, afterByte: fromByte = 0 } = after
    if (afterLine >= last.end || nextCursor) continue
    if (remainingLines === 0 || maxBytes <= 0) {
      nextCursor = after
      continue
    }
    const to = Math.min(afterLine + remainingLines, last.end)
    const read = await readLineSlice(stream, { from: afterLine + 1, to, fromByte, maxBytes })
    if (!read) continue
    excerpts.push(toExcerpt(source, read, { output, query }))
    if (read.next && read.next.afterLine < last.end) nextCursor = { stream: source, ...read.next }
    remainingLines -= read.to - read.from + 1
    maxBytes -= read.bytes.length
  }
  return {
    excerpts,
    nextCursor,
    ...(tail !== undefined && { omitted }),
    matchStatus: 'lineRange',
    matchCount: 0,
  }
}

/** Reads the first lines of the output, which a query returns if nothing matches. */
async function readFirstLines(output: OpenOutput, query: OutputQuery): Promise<Excerpt[]> {
  const { streams, maxExcerpts, view } = query
  const source = STREAM_NAMES.find(
    (name) => streams.includes(name) && output.streams[name].bytes > 0,
  )
  if (source === undefined) return []
  const lines = new LineHeadAndTail({ head: maxExcerpts, tail: 0 })
  await output.streams[source].read(1, ({ bytes }) => {
    lines.push(bytes)
    return !lines.hasHead
  })
  const { head } = lines.end()
  const content = formatOutputText(head.join('\n'), { view, language: output.language })
  return [{ lineStart: 1, lineEnd: head.length, content, source }]
}

function toExcerpt(
  source: StreamName,
  { bytes, from, to }: LineSlice,
  { output, query }: { output: OpenOutput; query: OutputQuery },
): Excerpt {
  const range = { lineStart: from, lineEnd: to, source }
  if (query.view === 'raw' && !isUtf8(bytes)) {
    return { ...range, content: bytes.toString('base64'), encoding: 'base64' }
  }
  const { view } = query
  return {
    ...range,
    content: formatOutputText(bytes.toString(), { view, language: output.language }),
  }
}
