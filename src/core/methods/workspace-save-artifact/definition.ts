import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const workspaceSaveArtifactMethod = defineMethod({
  name: 'workspace_save_artifact',
  description: 'Save a file of the workspace for the user, as a new version of an artifact.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string().describe("Such as 'out/report.pdf'"),
    name: z
      .string()
      .optional()
      .describe("Other name; 'user:<name>' keeps it for all conversations of the user"),
    ...SESSION_PARAMS,
  }),
  result: z.object({
    path: z.string(),
    saved_as: z.string(),
    version: z.int(),
    ref: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    warnings: z.array(z.string()).optional(),
  }),
})
