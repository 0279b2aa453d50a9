import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceReadMethod = defineMethod({
  name: 'workspace_read',
  description:
    'Read the file of a ref, workspace://<path> or artifact://<name>[@version], in pieces. Files are returned as they were written: secrets in them are not redacted.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    ref: z.string().describe('A ref that another tool returned, or a path in the workspace'),
    offset: z.int().min(0).optional().describe('Byte to start at'),
    max_bytes: z.int().min(1).optional().describe('Default 64 KiB, at most 4 MiB'),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    ref: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    content: z.string().optional(),
    data: z.string().optional(),
    next_offset: z.int().optional(),
    warnings: z.array(z.string()).optional(),
  }),
})
