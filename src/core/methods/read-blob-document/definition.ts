import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord } from '../json-object.ts'

export const readBlobDocumentMethod = defineMethod({
  name: 'read_blob_document',
  description: 'Read a blob with Markdown as a syntax tree, without front matter and positions.',
  params: z.strictObject({ blob_id: z.string().describe('Blob identifier') }),
  result: z.object({
    size_bytes: z.int(),
    tree: plainRecord.describe('The root node; markup in the document is a node of the type html'),
  }),
})

export type ReadBlobDocumentParams = MethodParams<typeof readBlobDocumentMethod>
export type ReadBlobDocumentResult = MethodResult<typeof readBlobDocumentMethod>
