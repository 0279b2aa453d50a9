import { z } from 'zod'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceReadMethod = defineMethod({
  name: 'workspace_read',
  description:
    'Read what a ref stands for: workspace://<path> or artifact://<name>[@version], a piece at a time.',
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({
    ref: z.string().describe('As another tool answered it, or a path of the workspace'),
    offset: z.int().min(0).optional().describe('Byte to start at'),
    max_bytes: z.int().min(1).optional().describe('64 KiB unless given, 4 MiB at most'),
    ...IN_SESSION,
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
