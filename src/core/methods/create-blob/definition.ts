import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const createBlobMethod = defineMethod({
  name: 'create_blob',
  description: 'Store large content as a blob and return its ID.',
  params: z.strictObject({
    content: z.string().describe('Content to store'),
    kind: z.string().describe("MIME type (e.g., 'text/plain', 'application/json')"),
    encoding: z
      .literal('base64')
      .optional()
      .describe("'base64' if content is base64 of bytes that are not text"),
  }),
  result: z.object({ blob_id: z.string(), size_bytes: z.int() }),
})

export type CreateBlobParams = MethodParams<typeof createBlobMethod>
export type CreateBlobResult = MethodResult<typeof createBlobMethod>
