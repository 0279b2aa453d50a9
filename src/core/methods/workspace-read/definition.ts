import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceReadMethod = defineMethod({
  name: 'workspace_read',
  description:
    'Read what a ref stands for: workspace://<path> or artifact://<name>[@version], a piece at a time.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    ref: z.string().describe('As another tool answered it, or a path of the workspace'),
    offset: z.int().min(0).optional().describe('Byte to start at'),
    max_bytes: z.int().min(1).optional().describe('64 KiB unless given, 4 MiB at most'),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    ref: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    content: z.string().optional(),
    data: z.string().optional(),
    next_offset: z.int().optional(),
  }),
})
