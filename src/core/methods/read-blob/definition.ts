import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { DEFAULT_MAX_BYTES, READ_MODES } from './sample.ts'

export const readBlobMethod = defineMethod({
  name: 'read_blob',
  description:
    'Retrieve a preview of blob content, without redaction. Full reads discouraged for large blobs.',
  params: z.strictObject({
    blob_id: z.string().describe('Blob identifier'),
    mode: z.enum(READ_MODES).default('sample_head').describe('How to sample the blob'),
    max_bytes: z
      .int()
      .min(1)
      .default(DEFAULT_MAX_BYTES)
      .describe(
        'Maximum bytes to return; "full" takes the default as no limit, and is refused above 1 MiB',
      ),
  }),
  result: z.object({
    content: z.string(),
    encoding: z.literal('base64').exactOptional(),
    truncated: z.boolean(),
    kind: z.string(),
    size_bytes: z.int(),
  }),
})

export type ReadBlobParams = MethodParams<typeof readBlobMethod>
export type ReadBlobResult = MethodResult<typeof readBlobMethod>
