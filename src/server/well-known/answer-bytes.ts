import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { formatEntityTag, matchesTag, formatReprDigest } from '../blobs/blob-digest.ts'

/** Sends bytes with a digest and an entity tag, so that clients can verify and cache them. */
export function answerBytes(c: Context<AppEnv>, bytes: Uint8Array, kind: string): Response {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const headers = {
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    // Prevents files of skills from running scripts in this origin.
    'content-security-policy': "sandbox; default-src 'none'",
    etag: formatEntityTag(digest),
    'repr-digest': formatReprDigest(digest),
  }
  if (matchesTag(c.req.header('if-none-match'), formatEntityTag(digest))) {
    return c.body(null, 304, headers)
  }
  return c.body(new Uint8Array(bytes), 200, { ...headers, 'content-type': kind })
}
