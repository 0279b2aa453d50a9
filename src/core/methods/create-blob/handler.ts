import { invalidParamError } from '../../../errors.ts'
import type { Services } from '../../services.ts'
import { writeBlob } from '../../storage/write-blob.ts'
import type { CreateBlobParams, CreateBlobResult } from './definition.ts'

const MIME_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\u0000-\u001f]*"))*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/
const LONE_SURROGATE = /\p{Surrogate}/u

/** `create_blob`: stores content as a blob. */
export async function createBlob(
  services: Pick<Services, 'blobs'>,
  { content, kind, encoding }: CreateBlobParams,
): Promise<CreateBlobResult> {
  const bytes = decodeContent(content, encoding)
  const { id, size } = await writeBlob(await services.blobs(), [bytes], requireMimeType(kind))
  return { blob_id: id, size_bytes: size }
}

/** Returns a MIME type unchanged. Throws `params/invalid`. */
export function requireMimeType(kind: string): string {
  if (kind.length <= 255 && MIME_TYPE.test(kind)) return kind
  throw invalidParamError(
    'kind',
    `expected a MIME type such as "text/plain", got "${kind.slice(0, 100)}"`,
  )
}

function decodeContent(content: string, encoding: string | undefined): Buffer {
  if (encoding === undefined) {
    if (!LONE_SURROGATE.test(content)) return Buffer.from(content)
    throw invalidParamError('content', 'it contains a lone surrogate, which UTF-8 cannot encode')
  }
  if (encoding !== 'base64')
    throw invalidParamError('encoding', `expected "base64", got "${encoding}"`)
  if (!BASE64.test(content)) throw invalidParamError('content', 'it is not base64')
  return Buffer.from(content, 'base64')
}
