import { z } from 'zod'
import { MAX_GLOB, SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceListMethod = defineMethod({
  name: 'workspace_list',
  description: 'List files and folders of the workspace.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string().optional().describe('Folder (default: the root)'),
    pattern: z.string().max(MAX_GLOB).optional().describe("Only matching files: '**/*.csv'"),
    depth: z.int().min(1).max(20).optional().describe('Levels of folders (default 2)'),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        path: z.string(),
        type: z.enum(['file', 'folder', 'link']),
        size_bytes: z.int().optional().describe('Present for files'),
      }),
    ),
    truncated: z.literal(true).optional().describe('Present if entries were left out'),
    warnings: z.array(z.string()).optional(),
  }),
})

export type WorkspaceListParams = MethodParams<typeof workspaceListMethod>
export type WorkspaceListResult = MethodResult<typeof workspaceListMethod>
