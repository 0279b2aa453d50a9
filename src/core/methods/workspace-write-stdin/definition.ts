import { z } from 'zod'
import { SESSION_ID } from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod } from '../define-method.ts'
import { workspaceView } from '../workspace-view.ts'

export const workspaceWriteStdinMethod = defineMethod({
  name: 'workspace_write_stdin',
  description: 'Type into a running command of workspace_exec and get what it prints next.',
  ofCaller: OF_CALLER,
  spellings: { yieldMs: 'yield_time_ms', submit: 'append_newline' },
  params: z.strictObject({
    ...SESSION_ID,
    chars: z.string().optional().describe('What to type, as it is'),
    append_newline: z.boolean().optional().describe('Press Enter after it'),
    yield_time_ms: z.int().optional().describe('How long to wait for something new (200)'),
    ...IN_SESSION,
  }),
  result: workspaceView,
})
