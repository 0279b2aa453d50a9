import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { writtenFile } from '../workspace-write/definition.ts'

export const workspaceReplaceMethod = defineMethod({
  name: 'workspace_replace',
  description: 'Replace text in a file of the workspace; it must occur once, unless all is true.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string(),
    old_text: z.string().min(1).describe('Exact text, with spaces and line breaks'),
    new_text: z.string(),
    all: z.boolean().optional(),
    ...SESSION_PARAMS,
  }),
  result: writtenFile.extend({ replacements: z.int() }),
  callerResults: ['ref'],
})

export type WorkspaceReplaceParams = MethodParams<typeof workspaceReplaceMethod>
