import { resolveStoreLimits } from '../../core/storage/store-limits.ts'
import type { Context, Hono } from 'hono'
import { requireMimeType } from '../../core/methods/create-blob/handler.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { writeBlob } from '../../core/storage/write-blob.ts'
import { invalidParamError, SkillsError } from '../../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { createDigestCheck, formatEntityTag, matchesTag, formatReprDigest } from './blob-digest.ts'
import { rejectEncoding } from '../http/content-type.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import { readPacedBody, createPacedStream } from '../http/paced-stream.ts'
import type { ServerContext } from '../server-context.ts'

/** `/blobs`: streamed upload and download of large content. */
export function addBlobRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  app.put('/blobs', async (c) => {
    requireScope(c.get('caller'), 'write')
    const info = await storeUpload(c, context)
    return c.json(
      { blob_id: info.id, size_bytes: info.size, kind: info.kind, digest: info.digest },
      201,
      { location: `/blobs/${info.id}`, ...buildDigestHeaders(info) },
    )
  })
  app.get('/blobs/:id', async (c) => {
    requireScope(c.get('caller'), 'read')
    const { id } = c.req.param()
    const blobs = await context.runtime.blobs()
    return await sendBlob(c, context, await blobs.info(id.startsWith('blob:') ? id : `blob:${id}`))
  })
  rejectOtherMethods(app, context, { '/blobs': ['PUT'], '/blobs/:id': ['GET', 'HEAD'] })
}

/** Discards bodies that are too large, too slow, incomplete or have a wrong digest. */
async function storeUpload(
  c: Context<AppEnv>,
  { runtime, limits, quotas }: ServerContext,
): Promise<BlobInfo> {
  rejectEncoding(c.req.header('content-encoding'))
  rejectPartialUpload(c.req.header('content-range'))
  const kind = requireMimeType(c.req.header('content-type') ?? 'application/octet-stream')
  const maxBytes = resolveStoreLimits(runtime.config).blobs.maxBlobBytes
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw uploadTooLargeError(maxBytes)
  const caller = c.get('caller')
  quotas.require(caller, 'blobBytes', Number(c.req.header('content-length') ?? 0))
  const digest = createDigestCheck(c.req.header('repr-digest') ?? c.req.header('content-digest'))
  const timeoutError = () =>
    new SkillsError('http/timeout', `No data of the body arrived for ${limits.bodyMs} ms`)
  const body = readPacedBody(c.req.raw.body, limits.bodyMs, timeoutError)
  const counted = chargeChunks(body, (bytes) => {
    quotas.require(caller, 'blobBytes', bytes)
    quotas.charge(caller, 'blobBytes', bytes)
  })
  return await writeBlob(await runtime.blobs(), verifyDigest(counted, digest), kind)
}

/** Counts each chunk before it is stored, since a body can be longer than its header says. */
async function* chargeChunks(
  body: AsyncIterable<Uint8Array>,
  charge: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    charge(chunk.length)
    yield chunk
  }
}

async function* verifyDigest(
  body: AsyncIterable<Uint8Array>,
  digest: ReturnType<typeof createDigestCheck>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    digest.see(chunk)
    yield chunk
  }
  digest.done()
}

async function sendBlob(
  c: Context<AppEnv>,
  context: ServerContext,
  info: BlobInfo,
): Promise<Response> {
  const tag = formatEntityTag(info.digest)
  const headers: Record<string, string> = { ...SAFE_HEADERS, ...buildDigestHeaders(info) }
  if (matchesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers)
  const condition = c.req.header('if-range')
  // Ranges apply to GET only.
  const allowsRange = c.req.method === 'GET' && (condition === undefined || condition === tag)
  const rangeHeader = allowsRange ? c.req.header('range') : undefined
  const range = resolveRange(c, rangeHeader, info)
  const { start, end } = range ?? { start: 0, end: info.size }
  headers['content-type'] = info.kind
  headers['content-length'] = String(end - start)
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${info.size}`
  const status = range ? 206 : 200
  if (c.req.method === 'HEAD' || start === end) return c.body(null, status, headers)
  const source = await (await context.runtime.blobs()).read(info.id, { start, end })
  return c.body(createPacedStream(source, context.limits.bodyMs), status, headers)
}

function resolveRange(c: Context<AppEnv>, header: string | undefined, info: BlobInfo) {
  try {
    return readRange(header, info.size)
  } catch (error) {
    c.header('content-range', `bytes */${info.size}`)
    throw error
  }
}

function buildDigestHeaders({ digest }: BlobInfo): Record<string, string> {
  return { etag: formatEntityTag(digest), 'repr-digest': formatReprDigest(digest) }
}

/**
 * A blob can be HTML with scripts; these headers prevent a browser from running it in this origin.
 */
const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-disposition': 'attachment',
  'content-security-policy': "sandbox; default-src 'none'",
}

/** A partial upload would not be a complete blob. */
function rejectPartialUpload(header: string | undefined): void {
  if (header === undefined) return
  const reason = 'expected a whole blob, got a part of one'
  throw invalidParamError('Content-Range', reason)
}

function uploadTooLargeError(maxBytes: number): SkillsError {
  return new SkillsError('blob/too-large', `Expected a blob of at most ${maxBytes} bytes`, {
    data: { max_bytes: maxBytes },
  })
}

/** Byte offsets: `start` is inclusive, `end` is exclusive. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header with a single byte range. Returns undefined for anything else, so that the
 * complete content is sent, as RFC 9110 allows. Throws for a range that begins after the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [, from = '', to = ''] = match
  if (from === '') return requireBytes(Math.max(0, size - Number(to)), size, size)
  const end = to === '' ? size : Math.min(size, Number(to) + 1)
  if (to !== '' && Number(to) < Number(from)) return undefined
  return requireBytes(Number(from), end, size)
}

function requireBytes(start: number, end: number, size: number): ByteRange {
  if (start < end) return { start, end }
  throw new SkillsError(
    'http/range',
    `The content has ${size} bytes; the range begins after its end`,
    {
      data: { size_bytes: size },
    },
  )
}
