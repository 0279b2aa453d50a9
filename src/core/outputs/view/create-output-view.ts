import { stripColors } from '../../../util/strip-colors.ts'
import { digestOutput } from '../digests/digest-output.ts'
import { LineHeadAndTail } from './head-and-tail.ts'
import { createTermMatcher } from '../query/match-terms.ts'
import { STREAM_NAMES, type StreamName } from '../store/output-store.ts'
import type { Excerpt, OutputView, OutputViewOptions, OutputViewResult } from './output-view.ts'
import { LineSearch } from '../query/search-lines.ts'
import { SearchPage } from '../query/search-page.ts'

/** Limit of both streams together. */
const MAX_WINDOWS = 10
/** Context lines around the matches of a summary. */
const SUMMARY_CONTEXT = 3

/** Creates a view that collects the part of an output to show in the result of its run. */
export function createOutputView(options: OutputViewOptions): OutputView {
  const { mode, queryTerms } = options
  const streams = { stdout: watchStream('stdout', options), stderr: watchStream('stderr', options) }
  const isSearched = queryTerms.length > 0 && (mode === 'summary' || mode === 'intent')
  return {
    push(stream, chunk) {
      const { ends, search, sample } = streams[stream]
      ends.push(chunk)
      if (isSearched) search.lines.push(chunk)
      if (mode === 'digest') sample.push(chunk)
    },
    end({ exitCode }) {
      const { stdout, stderr } = streams
      const result: OutputViewResult = {
        stdoutSummary: '',
        stderrSummary: '',
        outputLines: stdout.ends.lines + stderr.ends.lines,
        outputBytes: stdout.ends.bytes + stderr.ends.bytes,
      }
      if (mode === 'summary') {
        result.stdoutSummary = formatSummary(stdout.ends)
        result.stderrSummary = formatSummary(stderr.ends)
      }
      const excerpts = isSearched ? collectExcerpts(streams) : []
      if (excerpts.length > 0) result.excerpts = excerpts
      if (mode === 'digest') {
        const text = { stdout: stdout.sample.text(), stderr: stderr.sample.text() }
        const { command, root } = options
        result.digest = digestOutput(text, { exitCode, command, root })
        result.stdoutSummary = result.digest.summary
      }
      return result
    },
  }
}

interface WatchedStream {
  ends: LineHeadAndTail
  search: { page: SearchPage; lines: LineSearch }
  sample: StreamSample
}

function watchStream(
  source: StreamName,
  { mode, maxLines, queryTerms, contextLines }: OutputViewOptions,
): WatchedStream {
  const context = mode === 'intent' ? contextLines : SUMMARY_CONTEXT
  const page = new SearchPage({ contextLines: context, maxExcerpts: MAX_WINDOWS })
  const matcher = createTermMatcher(queryTerms)
  return {
    ends: new LineHeadAndTail(mode === 'summary' ? splitLineBudget(source, maxLines) : NO_LINES),
    search: {
      page,
      lines: new LineSearch({ source, matcher, page, afterLine: 0, lineEndsBefore: 0 }),
    },
    sample: new StreamSample(),
  }
}

const NO_LINES = { head: 0, tail: 0 }

/** Both ends of stdout, the end of stderr. */
function splitLineBudget(source: StreamName, maxLines: number): { head: number; tail: number } {
  if (source === 'stderr') return { head: 0, tail: Math.floor(maxLines / 4) }
  const head = Math.floor(maxLines / 2)
  return { head, tail: maxLines - head }
}

function formatSummary(lines: LineHeadAndTail): string {
  const { head, omitted, tail } = lines.end()
  // If only the end is shown, the missing beginning is evident.
  const marker = omitted > 0 && head.length > 0 ? [`... (${omitted} lines omitted) ...`] : []
  return stripColors([...head, ...marker, ...tail].join('\n'))
}

function collectExcerpts(streams: Record<StreamName, WatchedStream>): Excerpt[] {
  const all = STREAM_NAMES.flatMap((name) => {
    const { page, lines } = streams[name].search
    lines.end()
    return page.excerpts
  })
  return all
    .filter(({ content }) => content !== '')
    .slice(0, MAX_WINDOWS)
    .map((excerpt) => ({ ...excerpt, content: stripColors(excerpt.content) }))
}

/** Buffered bytes at the beginning and at the end of a stream. */
const HEAD_BYTES = 1024 ** 2
const TAIL_BYTES = 3 * 1024 ** 2

/** The beginning and the end of a stream; a stream that is too long is cut at line ends. */
class StreamSample {
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #isTruncated = false

  push(chunk: Buffer): void {
    const room = Math.min(chunk.length, HEAD_BYTES - this.#headBytes)
    if (room > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, room)))
      this.#headBytes += room
    }
    if (room === chunk.length) return
    this.#tail.push(Buffer.from(chunk.subarray(room)))
    this.#tailBytes += chunk.length - room
    // Trims rarely, because every trim copies the tail.
    if (this.#tailBytes > 2 * TAIL_BYTES) this.#trimTail()
  }

  text(): string {
    if (this.#tailBytes > TAIL_BYTES) this.#trimTail()
    const head = Buffer.concat(this.#head).toString('utf8')
    const tail = Buffer.concat(this.#tail).toString('utf8')
    if (!this.#isTruncated) return Buffer.concat([...this.#head, ...this.#tail]).toString('utf8')
    return head.slice(0, head.lastIndexOf('\n') + 1) + tail.slice(tail.indexOf('\n') + 1)
  }

  #trimTail(): void {
    const tail = Buffer.concat(this.#tail)
    this.#tail = [Buffer.from(tail.subarray(-TAIL_BYTES))]
    this.#tailBytes = Math.min(TAIL_BYTES, tail.length)
    this.#isTruncated ||= tail.length > TAIL_BYTES
  }
}
