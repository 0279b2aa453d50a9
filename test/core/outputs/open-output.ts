import { countLineEnds } from '../../../src/core/outputs/query/line-ends.ts'
import { queryOutput } from '../../../src/core/outputs/query/query-output.ts'
import type { OpenOutput, ReadableStream } from '../../../src/core/outputs/store/output-store.ts'

/** An output in memory that is read in pieces of this size, from the same buffer. */
export function createOpenOutput(
  { stdout, stderr }: { stdout: Buffer; stderr: Buffer },
  piece: number,
): OpenOutput {
  return {
    handle: 'runtime-x',
    repo: null,
    language: null,
    about: {
      runId: 'run_x',
      status: 'success',
      exitCode: 0,
      signal: null,
      createdAt: '',
      expiresAt: null,
      sha256: null,
    },
    streams: { stdout: createStream(stdout, piece), stderr: createStream(stderr, piece) },
    close: async () => {},
  }
}

function createStream(content: Buffer, piece: number): ReadableStream {
  const reused = Buffer.alloc(piece)
  return {
    bytes: content.length,
    lines: content.length === 0 ? 0 : countLineEnds(content) + 1,
    async read(fromLine, take) {
      let lineEndsBefore = 0
      for (let at = 0; at < content.length; at += piece) {
        const bytes = reused.subarray(0, content.copy(reused, 0, at, at + piece))
        const lineEnds = countLineEnds(bytes)
        const isLast = at + piece >= content.length
        if (isLast || lineEndsBefore + lineEnds >= fromLine - 1) {
          if (!take({ bytes, lineEndsBefore, lineEnds })) return
        }
        lineEndsBefore += lineEnds
      }
    },
  }
}

/** All shown lines of a query, page by page, and the first page. */
export async function readAllPages(
  output: OpenOutput,
  query: Parameters<typeof queryOutput>[1],
): Promise<{
  lines: [string, number][]
  texts: string[]
  first: Awaited<ReturnType<typeof queryOutput>>
}> {
  const first = await queryOutput(output, query)
  const lines: [string, number][] = []
  const texts: string[] = []
  for (let page = first; ;) {
    if (page.matchStatus !== 'noMatchFallback') {
      for (const { source, lineStart, lineEnd, content } of page.excerpts) {
        for (let line = lineStart; line <= lineEnd; line++) lines.push([source, line])
        texts.push(content)
      }
    }
    if (!page.nextCursor) return { lines, texts, first }
    page = await queryOutput(output, { ...query, cursor: page.nextCursor })
  }
}
