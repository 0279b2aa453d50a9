import type { Context, Hono } from 'hono'
import { checkKind } from '../../core/methods/create-blob/handler.ts'
import type { BlobInfo } from '../../core/storage/blob-store.ts'
import { writeBlob } from '../../core/storage/write-blob.ts'
import { invalidParam, SkillsError } from '../../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { needScope } from '../auth/authenticate.ts'
import { digestCheck, entityTag, matchesTag, reprDigest } from './blob-digest.ts'
import { readRange } from '../http/byte-range.ts'
import { refuseEncoding } from '../http/content-type.ts'
import { refuseOthers } from '../http/other-methods.ts'
import { pacedBody, pacedStream } from '../http/paced-stream.ts'
import type { ServerContext } from '../server-context.ts'

/** `/blobs`: large content in and out, streamed. */
export function blobRoutes(app: Hono<AppEnv>, services: ServerContext): void {
  app.put('/blobs', async (c) => {
    needScope(c.get('caller'), 'write')
    const info = await store(c, services)
    return c.json(
      { blob_id: info.id, size_bytes: info.size, kind: info.kind, digest: info.digest },
      201,
      { location: `/blobs/${info.id}`, ...digestHeaders(info) },
    )
  })
  app.get('/blobs/:id', async (c) => {
    needScope(c.get('caller'), 'read')
    const { id } = c.req.param()
    const blobs = await services.runtime.blobs()
    return await send(c, services, await blobs.info(id.startsWith('blob:') ? id : `blob:${id}`))
  })
  refuseOthers(app, services, { '/blobs': ['PUT'], '/blobs/:id': ['GET', 'HEAD'] })
}

/** Nothing stays of a body that is too large, too slow, cut short or not what was announced. */
async function store(c: Context<AppEnv>, { runtime, limits }: ServerContext): Promise<BlobInfo> {
  refuseEncoding(c.req.header('content-encoding'))
  refuseRange(c.req.header('content-range'))
  const kind = checkKind(c.req.header('content-type') ?? 'application/octet-stream')
  const most = runtime.config.store.blobs.maxBlobBytes
  if (Number(c.req.header('content-length') ?? 0) > most) throw tooLarge(most)
  const digest = digestCheck(c.req.header('repr-digest') ?? c.req.header('content-digest'))
  const late = () =>
    new SkillsError('http/timeout', `Nothing of the body came for ${limits.bodyMs} ms`)
  const body = pacedBody(c.req.raw.body, limits.bodyMs, late)
  return await writeBlob(await runtime.blobs(), checked(body, digest), kind)
}

async function* checked(
  body: AsyncIterable<Uint8Array>,
  digest: ReturnType<typeof digestCheck>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    digest.see(chunk)
    yield chunk
  }
  digest.done()
}

async function send(
  c: Context<AppEnv>,
  services: ServerContext,
  info: BlobInfo,
): Promise<Response> {
  const tag = entityTag(info.digest)
  const headers: Record<string, string> = { ...HARMLESS, ...digestHeaders(info) }
  if (matchesTag(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers)
  const condition = c.req.header('if-range')
  // Ranges are GET's only.
  const isAsked = c.req.method === 'GET' && (condition === undefined || condition === tag)
  const asked = isAsked ? c.req.header('range') : undefined
  const range = rangeOf(c, asked, info)
  const { start, end } = range ?? { start: 0, end: info.size }
  headers['content-type'] = info.kind
  headers['content-length'] = String(end - start)
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${info.size}`
  const status = range ? 206 : 200
  if (c.req.method === 'HEAD' || start === end) return c.body(null, status, headers)
  const source = await (await services.runtime.blobs()).read(info.id, { start, end })
  return c.body(pacedStream(source, services.limits.bodyMs), status, headers)
}

function rangeOf(c: Context<AppEnv>, header: string | undefined, info: BlobInfo) {
  try {
    return readRange(header, info.size)
  } catch (error) {
    c.header('content-range', `bytes */${info.size}`)
    throw error
  }
}

function digestHeaders({ digest }: BlobInfo): Record<string, string> {
  return { etag: entityTag(digest), 'repr-digest': reprDigest(digest) }
}

/** A blob may be a page with a script; a browser shall not run it as one of ours. */
const HARMLESS = {
  'x-content-type-options': 'nosniff',
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-disposition': 'attachment',
  'content-security-policy': "sandbox; default-src 'none'",
}

/** A part is no blob. */
function refuseRange(header: string | undefined): void {
  if (header === undefined) return
  const reason = 'expected a whole blob, got a part of one'
  throw invalidParam('Content-Range', reason)
}

function tooLarge(most: number): SkillsError {
  return new SkillsError('blob/too-large', `A blob may have ${most} bytes at most`, {
    data: { max_bytes: most },
  })
}
