import { z } from 'zod'
import { MAX_GLOB, SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

/** Not in the schema, whose size models pay for. */
const MAX_DEPTH = 20

export const workspaceListMethod = defineMethod({
  name: 'workspace_list',
  description: 'List or search the files of the workspace.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string().optional().describe('Folder (default: the root)'),
    pattern: z.string().max(MAX_GLOB).optional().describe("Only matching files: '**/*.csv'"),
    contains: z
      .string()
      .refine((text) => text !== '' && text.length <= MAX_GLOB, {
        message: `expected 1 to ${MAX_GLOB} characters`,
      })
      .optional()
      .describe('Text to find; returns its lines'),
    by_time: z.boolean().optional().describe('Newest first'),
    depth: z
      .int()
      .refine((depth) => depth >= 1 && depth <= MAX_DEPTH, {
        message: `expected 1 to ${MAX_DEPTH} levels`,
      })
      .optional()
      .describe('Levels of folders (default 2)'),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        path: z.string(),
        type: z.enum(['file', 'folder', 'link']),
        size_bytes: z.int().optional().describe('Present for files'),
        modified_at: z.string().optional().describe('Present with by_time'),
        lines: z
          .array(z.object({ line: z.int(), text: z.string() }))
          .optional()
          .describe('Present with contains'),
      }),
    ),
    truncated: z.literal(true).optional().describe('Present if entries were left out'),
    warnings: z.array(z.string()).optional(),
  }),
})

export type WorkspaceListParams = MethodParams<typeof workspaceListMethod>
export type WorkspaceListResult = MethodResult<typeof workspaceListMethod>
