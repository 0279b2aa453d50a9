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
  description:
    'Write a text file of the workspace, with its folders. An existing file is replaced, unless overwrite is false.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string().describe("Path in the workspace, such as 'work/plan.md' or 'out/report.csv'"),
    content: z.string().describe('The complete text of the file, at most 4 MiB'),
    overwrite: z.boolean().optional().describe('False: refuse if the file exists (default true)'),
    ...SESSION_PARAMS,
  }),
  result: writtenFile.extend({ created: z.boolean().describe('False if a file was replaced') }),
})

export type WorkspaceWriteParams = MethodParams<typeof workspaceWriteMethod>
