import { z } from 'zod'
import { CONVERSATION_FILES } from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceAddFilesMethod = defineMethod({
  name: 'workspace_add_files',
  description:
    'Copy files of the conversation into work/inputs of its workspace, under safe and unique names. A file that is there already is not copied again.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    files: CONVERSATION_FILES.describe(
      'Files to copy; an id without data asks whether the file is there',
    ),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    files: z
      .array(
        z.object({
          path: z.string().optional().describe('Path in the workspace; absent if not copied'),
          original_name: z.string().optional(),
          mime_type: z.string().optional(),
          size_bytes: z.int().optional(),
          problem: z.string().optional().describe('Reason why the file was not copied'),
        }),
      )
      .describe('One entry per file, in the same order'),
    warnings: z.array(z.string()).optional(),
  }),
})

export type AddFilesParams = MethodParams<typeof workspaceAddFilesMethod>
export type AddFilesResult = MethodResult<typeof workspaceAddFilesMethod>
