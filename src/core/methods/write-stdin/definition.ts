import { z } from 'zod'
import { SESSION_ID_PARAM } from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { WORKSPACE_VIEW_CALLER_RESULTS, workspaceView } from '../workspace-view.ts'

export const writeStdinMethod = defineMethod({
  name: 'write_stdin',
  // The name in trpc-agent-go.
  aliases: ['workspace_write_stdin'],
  description: 'Send input to a running command, and get its next output.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: { yieldMs: 'yield_time_ms', submit: 'append_newline' },
  params: z.strictObject({
    ...SESSION_ID_PARAM,
    chars: z.string().optional().describe('Input to send; without it, only read output'),
    append_newline: z.boolean().optional().describe('Press Enter after the input'),
    yield_time_ms: z.int().optional().describe('Time to wait for output (default 200)'),
    ...SESSION_PARAMS,
  }),
  result: workspaceView,
  callerResults: WORKSPACE_VIEW_CALLER_RESULTS,
})

export type WriteStdinParams = MethodParams<typeof writeStdinMethod>
