import { startDeadline, type Deadline } from './deadline.ts'
import { ConnectionError } from './errors.ts'
import type { CallOptions, ClientSettings } from './options.ts'
import { notARuntimeError, parseObject } from './read-answer.ts'
import { readPieces, readText } from './read-body.ts'
import { errorFromBody, errorFromStatus } from './error-response.ts'
import { withRetries } from './retry.ts'
import { send, type OutgoingRequest } from './send.ts'
import { isReplayable, measureContent, toBody, type BlobSource } from './upload-body.ts'

/** Metadata of a blob, without its content. */
export interface BlobFacts {
  blob_id: string
  kind: string
  size_bytes: number
  /** `sha256:<hex>` of the whole content; undefined if the runtime does not report it. */
  digest: string | undefined
}

export interface DownloadOptions extends CallOptions {
  /** Byte offsets: `start` is inclusive, `end` is exclusive. Either may be omitted. */
  range?: { start?: number; end?: number } | undefined
}

/** A blob download in progress. */
export interface Download extends BlobFacts {
  /** The content or the requested range. Cancelling the stream ends the transfer. */
  stream: ReadableStream<Uint8Array>
}

/** Extends the timeout of a non-streamed upload by its size at this rate. */
const MIN_UPLOAD_BYTES_PER_MS = 50

/** Stores content of any size. A stream can be read only once, so such an upload is not retried. */
export async function uploadBlob(
  settings: ClientSettings,
  { content, kind }: { content: BlobSource; kind: string },
  options: CallOptions,
): Promise<BlobFacts> {
  const timeoutMs =
    (options.timeoutMs ?? settings.timeoutMs) +
    Math.floor(measureContent(content) / MIN_UPLOAD_BYTES_PER_MS)
  const deadline = startDeadline(timeoutMs, options.signal)
  const retries = isReplayable(content) ? (options.retries ?? settings.retries) : 0
  const url = new URL('blobs', settings.endpoint)
  try {
    return await withRetries({ retries, isRead: false, deadline }, async () => {
      // The timeout of a streamed upload restarts with every chunk.
      const body = await toBody(content, deadline.restart)
      const headers = { 'content-type': kind, accept: 'application/json' }
      const response = await send(settings, { url, verb: 'PUT', headers, body, deadline })
      const text = await readText(response, deadline, settings.maxAnswerBytes)
      if (response.status !== 201) throw errorFromBody(url, response.status, text)
      const stored = parseObject(text)
      if (typeof stored?.['blob_id'] !== 'string') throw notARuntimeError(response.status, text)
      return {
        blob_id: stored['blob_id'],
        kind: typeof stored['kind'] === 'string' ? stored['kind'] : kind,
        size_bytes: Number(stored['size_bytes']),
        digest: typeof stored['digest'] === 'string' ? stored['digest'] : undefined,
      }
    })
  } finally {
    deadline.release()
  }
}

/** Fetches the metadata of a blob without its content. */
export async function fetchBlobFacts(
  settings: ClientSettings,
  id: string,
  options: CallOptions,
): Promise<BlobFacts> {
  const deadline = startDeadline(options.timeoutMs ?? settings.timeoutMs, options.signal)
  try {
    const response = await fetchBlob(settings, id, { verb: 'HEAD', headers: {}, deadline, options })
    return readBlobFacts(id, response)
  } finally {
    deadline.release()
  }
}

/** Downloads a blob as a stream. The timeout restarts with every chunk. */
export async function downloadBlob(
  settings: ClientSettings,
  id: string,
  options: DownloadOptions,
): Promise<Download> {
  const deadline = startDeadline(options.timeoutMs ?? settings.timeoutMs, options.signal)
  try {
    const { range } = options
    const isPart = range !== undefined && (range.start !== undefined || range.end !== undefined)
    const headers: Record<string, string> = isPart ? { range: formatRangeHeader(range) } : {}
    const response = await fetchBlob(settings, id, { verb: 'GET', headers, deadline, options })
    if (isPart && response.status !== 206) {
      await response.body?.cancel()
      throw new ConnectionError('Expected a range of the blob, got the whole blob', {
        problem: 'not-a-runtime',
        httpStatus: response.status,
      })
    }
    return { ...readBlobFacts(id, response), stream: streamResponse(response, deadline) }
  } catch (error) {
    deadline.release()
    throw error
  }
}

async function fetchBlob(
  settings: ClientSettings,
  id: string,
  request: Pick<OutgoingRequest, 'verb' | 'headers' | 'deadline'> & { options: CallOptions },
): Promise<Response> {
  const { verb, headers, deadline, options } = request
  const url = new URL(`blobs/${encodeURIComponent(id)}`, settings.endpoint)
  const policy = { retries: options.retries ?? settings.retries, isRead: true, deadline }
  return await withRetries(policy, async () => {
    const response = await send(settings, { url, verb, headers, deadline })
    const { status } = response
    if (status === 200 || status === 206) return response
    if (verb === 'HEAD') throw errorFromStatus(url, status)
    throw errorFromBody(url, status, await readText(response, deadline, settings.maxAnswerBytes))
  })
}

function streamResponse(response: Response, deadline: Deadline): ReadableStream<Uint8Array> {
  const pieces = readPieces(response, deadline)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        deadline.restart()
        try {
          const { done, value } = await pieces.next()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        deadline.release()
      },
      async cancel() {
        deadline.release()
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Always sends a start: `bytes=-N` would request the last N bytes. */
function formatRangeHeader({ start = 0, end }: { start?: number; end?: number }): string {
  if (!Number.isSafeInteger(start) || start < 0 || (end !== undefined && !(end > start))) {
    throw new RangeError(`Expected 0 <= start < end, got start ${start} and end ${end}`)
  }
  return `bytes=${start}-${end === undefined ? '' : end - 1}`
}

function readBlobFacts(id: string, { headers, status }: Response): BlobFacts {
  const part = /^bytes \d+-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  const digest = /sha-256=:([A-Za-z0-9+/=]+):/.exec(headers.get('repr-digest') ?? '')?.[1]
  return {
    blob_id: id,
    kind: headers.get('content-type') ?? 'application/octet-stream',
    size_bytes: Number(status === 206 ? part : (headers.get('content-length') ?? Number.NaN)),
    digest: digest === undefined ? undefined : `sha256:${base64ToHex(digest)}`,
  }
}

function base64ToHex(base64: string): string {
  return [...atob(base64)].map((char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
