import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { formatEntityTag, matchesTag, formatReprDigest } from '../blobs/blob-digest.ts'

/** Bytes with their digest, `sha256:<hex>`. */
export interface DigestedBytes {
  bytes: Uint8Array
  digest: string
}

export function digestBytes(bytes: Uint8Array): DigestedBytes {
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` }
}

/** Sends bytes with a digest and an entity tag, so that clients can verify and cache them. */
export function answerBytes(
  c: Context<AppEnv>,
  { bytes, digest }: DigestedBytes,
  kind: string,
): Response {
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
  return c.body(bytes as Uint8Array<ArrayBuffer>, 200, { ...headers, 'content-type': kind })
}
