import { z } from 'zod'
import type { Method } from '../method.ts'
import { DEFAULT_MAX_BYTES, readBlob, type ReadBlobParams, type ReadBlobResult } from './run.ts'
import { READ_MODES } from './wire.ts'

export const readBlobMethod: Method<ReadBlobParams, ReadBlobResult> = {
  name: 'read_blob',
  description: 'Retrieve a preview of blob content. Full reads discouraged for large blobs.',
  readOnly: true,
  params: z.strictObject({
    blob_id: z.string().describe('Blob identifier'),
    mode: z.enum(READ_MODES).default('sample_head').describe('How to sample the blob'),
    max_bytes: z
      .int()
      .min(1)
      .default(DEFAULT_MAX_BYTES)
      .describe('Maximum bytes of a sample; full is whole, or refused above 1 MiB'),
  }),
  result: z.object({
    content: z.string(),
    encoding: z.literal('base64').optional(),
    truncated: z.boolean(),
    kind: z.string(),
    size_bytes: z.int(),
  }) as never,
  run: readBlob,
}
