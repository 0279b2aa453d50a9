import { z } from 'zod'
import { COMMAND_CALLER_PARAMS, COMMAND_CALLER_PARAM_NAMES } from '../command-params.ts'
import { workspaceView } from '../workspace-view.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceExecMethod = defineMethod({
  name: 'workspace_exec',
  description:
    'Run a shell command in the workspace of this conversation, sandboxed. Loaded skills lie below skills/<name>; write results below out/. It starts at the top of the workspace.',
  callerParams: COMMAND_CALLER_PARAM_NAMES,
  spellings: { timeout_sec: 'timeout', yieldMs: 'yield_time_ms', pty: 'tty' },
  params: z.strictObject({
    command: z.string().describe('Shell command'),
    cwd: z.string().optional().describe("Where it starts: 'work', 'out/x', 'skills/<name>'"),
    env: z.record(z.string(), z.string()).optional().describe('Further environment variables'),
    stdin: z.string().optional().describe('What it reads'),
    timeout: z.number().optional().describe('Seconds until it is ended; 300 unless given'),
    yield_time_ms: z
      .int()
      .optional()
      .describe('Answer after so long at the latest; it then goes on, and has a session_id'),
    background: z.boolean().optional().describe('Answer at once; it goes on'),
    tty: z.boolean().optional().describe('Give it a terminal'),
    ...COMMAND_CALLER_PARAMS,
  }),
  result: workspaceView,
})

export type WorkspaceExecParams = MethodParams<typeof workspaceExecMethod>
export type WorkspaceExecResult = MethodResult<typeof workspaceExecMethod>
