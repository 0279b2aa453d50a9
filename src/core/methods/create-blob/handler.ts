import { invalidParamError } from '../../../errors.ts'
import type { Services } from '../../services.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { writeBlob } from '../../storage/write-blob.ts'
import { decodeContent } from '../decode-content.ts'
import type { CreateBlobParams, CreateBlobResult } from './definition.ts'

const MIME_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\u0000-\u001f]*"))*$/

/** `create_blob`: stores content as a blob. */
export async function createBlob(
  services: Pick<Services, 'blobs'>,
  { content, kind, encoding }: CreateBlobParams,
): Promise<CreateBlobResult> {
  if (encoding !== undefined && encoding !== 'base64') {
    throw invalidParamError('encoding', `expected "base64", got "${encoding}"`)
  }
  const chunks = await runInSlices(decodeContent('content', { content, encoding }))
  const { id, size } = await writeBlob(await services.blobs(), chunks, requireMimeType(kind))
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
