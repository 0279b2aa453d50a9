import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { writtenFile } from '../workspace-write/definition.ts'

export const workspaceReplaceMethod = defineMethod({
  name: 'workspace_replace',
  description:
    'Replace text in a file of the workspace. The old text must occur exactly once, unless all is true.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    path: z.string().describe('Path in the workspace'),
    old_text: z.string().min(1).describe('Text to find, with its spaces and line breaks'),
    new_text: z.string().describe('Text to put in its place; empty to delete it'),
    all: z.boolean().optional().describe('Replace every occurrence (default false)'),
    ...SESSION_PARAMS,
  }),
  result: writtenFile.extend({ replacements: z.int() }),
})

export type WorkspaceReplaceParams = MethodParams<typeof workspaceReplaceMethod>
