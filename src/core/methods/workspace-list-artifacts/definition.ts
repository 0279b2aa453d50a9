import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceListArtifactsMethod = defineMethod({
  name: 'workspace_list_artifacts',
  description:
    "List the newest version of each artifact of this conversation, and of those whose name begins with 'user:', which all conversations of the user share.",
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    prefix: z.string().optional().describe('Only artifacts whose name begins with this'),
    after: z
      .string()
      .optional()
      .describe('Name of the last artifact of the previous page: `next_after` of its result'),
    limit: z.int().min(1).max(1000).optional().describe('Maximum number (default 100)'),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    artifacts: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        ref: z.string(),
        mime_type: z.string(),
        size_bytes: z.int(),
        digest: z.string(),
      }),
    ),
    next_after: z.string().optional().describe('Present if there are more'),
    warnings: z.array(z.string()).optional(),
  }),
})

export type ListArtifactsParams = MethodParams<typeof workspaceListArtifactsMethod>
export type ListArtifactsResult = MethodResult<typeof workspaceListArtifactsMethod>
