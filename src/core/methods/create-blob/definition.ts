import { z } from 'zod'
import type { Method } from '../method.ts'
import { createBlob, type CreateBlobParams, type CreateBlobResult } from './run.ts'

export const createBlobMethod: Method<CreateBlobParams, CreateBlobResult> = {
  name: 'create_blob',
  description: 'Store large content as a blob and return its ID.',
  readOnly: false,
  params: z.strictObject({
    content: z.string().describe('Content to store'),
    kind: z.string().describe("MIME type (e.g., 'text/plain', 'application/json')"),
    encoding: z
      .literal('base64')
      .optional()
      .describe("'base64' where content is base64 of bytes that are no text"),
  }),
  result: z.object({ blob_id: z.string(), size_bytes: z.int() }),
  run: createBlob,
}
