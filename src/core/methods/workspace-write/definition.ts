import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

/** Result of tools that write a file. */
export const writtenFile = z.object({
  path: z.string(),
  ref: z.string(),
  size_bytes: z.int(),
  warnings: z.array(z.string()).optional(),
})

export const workspaceWriteMethod = defineMethod({
  name: 'workspace_write',
  description: 'Write a text file in the workspace, and its folders.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string(),
    content: z.string().describe('At most 4 MiB'),
    overwrite: z.boolean().optional().describe('False: refuse if it exists'),
    ...SESSION_PARAMS,
  }),
  result: writtenFile.extend({ created: z.boolean().describe('False if a file was replaced') }),
  callerResults: ['ref'],
})

export type WorkspaceWriteParams = MethodParams<typeof workspaceWriteMethod>
