import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceReadMethod = defineMethod({
  name: 'workspace_read',
  description:
    'Read a file of the workspace, or an artifact, in pieces. Secrets in files are not redacted.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    ref: z.string().describe('Path, workspace://<path> or artifact://<name>[@version]'),
    offset: z.int().min(0).optional().describe('First byte'),
    max_bytes: z.int().min(1).optional().describe('Default 65536, at most 4 MiB'),
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
