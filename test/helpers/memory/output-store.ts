import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  parseOutputKey,
  createHandle,
  outputExpiredError,
  deriveOutputKey,
  outputNotFoundError,
} from '../../../src/core/outputs/store/handle.ts'
import { authorizeReader } from '../../../src/core/outputs/store/manifest.ts'
import type {
  OutputReader,
  OutputStore,
  ReadableStream,
  StoredOutput,
  StoredStream,
  StreamName,
} from '../../../src/core/outputs/store/output-store.ts'
import type { OutputLimits } from '../../../src/core/outputs/store/sweep-outputs.ts'

interface Stored {
  output: StoredOutput
  content: Readonly<Record<StreamName, Buffer>>
  isGone: boolean
}

/** In-memory outputs of runs. */
export function createMemoryOutputStore(limits: OutputLimits): OutputStore {
  const outputs = new Map<string, Stored>()
  const find = (handleOrRun: string, reader: OutputReader): Stored => {
    const stored = outputs.get(parseOutputKey(handleOrRun))
    const isOther = !handleOrRun.startsWith('run_') && stored?.output.handle !== handleOrRun
    if (!stored || isOther) throw outputNotFoundError(handleOrRun)
    authorizeReader(handleOrRun, stored.output, reader)
    if (stored.isGone || isExpired(stored)) throw outputExpiredError(handleOrRun)
    return stored
  }
  const isExpired = ({ output }: Stored) => Date.parse(output.createdAt) + limits.ttlMs < Date.now()
  return {
    open({ runId, repo = null, owner = null, language = null }) {
      const createdAt = new Date()
      const handle = createHandle(deriveOutputKey(runId), repo ?? undefined, createdAt.getTime())
      const pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
      const sink = (name: StreamName) => ({
        write(chunk: Buffer): undefined {
          pieces[name].push(chunk)
        },
      })
      return {
        handle,
        stdout: sink('stdout'),
        stderr: sink('stderr'),
        async finish(end) {
          const content = {
            stdout: Buffer.concat(pieces.stdout),
            stderr: Buffer.concat(pieces.stderr),
          }
          const size = content.stdout.length + content.stderr.length
          const message = 'It has too much'
          if (size > limits.maxOutputBytes) return { notKept: 'too-large', message }
          if (size > limits.quotaBytes) return { notKept: 'quota', message }
          const streams = { stdout: factsOf(content.stdout), stderr: factsOf(content.stderr) }
          const times = {
            createdAt: createdAt.toISOString(),
            expiresAt: new Date(createdAt.getTime() + limits.ttlMs).toISOString(),
          }
          const output = { handle, runId, repo, owner, language, ...times, ...end, streams }
          outputs.set(deriveOutputKey(runId), { output, content, isGone: false })
          return output
        },
        async abort() {},
      }
    },
    info: async (handleOrRun, reader) => find(handleOrRun, reader).output,
    content: async (handleOrRun, name, reader) =>
      Readable.from([find(handleOrRun, reader).content[name]]),
    async read(handleOrRun, reader) {
      const { output, content } = find(handleOrRun, reader)
      const { handle, repo, language, streams, ...about } = output
      const sha256 = { stdout: streams.stdout.sha256, stderr: streams.stderr.sha256 }
      return {
        handle,
        repo,
        language,
        about: { ...about, sha256 },
        streams: {
          stdout: readable(content.stdout, streams.stdout),
          stderr: readable(content.stderr, streams.stderr),
        },
        async close() {},
      }
    },
    async remove(runId) {
      outputs.delete(deriveOutputKey(runId))
    },
    async sweep({ dryRun = false } = {}) {
      const expired = [...outputs.values()].filter((each) => !each.isGone && isExpired(each))
      if (!dryRun) for (const each of expired) each.isGone = true
      const remaining = [...outputs.values()].filter((each) => !each.isGone && !isExpired(each))
      const sizeOf = (all: Stored[]) =>
        all.reduce((sum, { content }) => sum + content.stdout.length + content.stderr.length, 0)
      const bytes = sizeOf(remaining)
      return {
        removed: expired.length,
        bytesFreed: sizeOf(expired),
        kept: { count: remaining.length, bytes },
      }
    },
  }
}

function factsOf(content: Buffer): StoredStream {
  const lines = content.length === 0 ? 0 : content.filter((byte) => byte === 10).length + 1
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { bytes: content.length, lines, sha256, storedBytes: content.length }
}

/** The whole stream as one chunk. */
function readable(content: Buffer, { bytes, lines }: StoredStream): ReadableStream {
  return {
    bytes,
    lines,
    async read(_, take) {
      if (bytes > 0) take({ bytes: content, lineEndsBefore: 0, lineEnds: lines - 1 })
    },
  }
}
