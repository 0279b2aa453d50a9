import { z } from 'zod'
import { COMMAND_CALLER_PARAMS, COMMAND_CALLER_PARAM_NAMES } from '../command-params.ts'
import { workspaceView } from '../workspace-view.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceExecMethod = defineMethod({
  name: 'workspace_exec',
  description:
    'Run a shell command in the workspace of this conversation, sandboxed. Loaded skills are in skills/<name>; write results to out/. It starts in the root of the workspace.',
  callerParams: COMMAND_CALLER_PARAM_NAMES,
  spellings: { timeout_sec: 'timeout', yieldMs: 'yield_time_ms', pty: 'tty' },
  params: z.strictObject({
    command: z.string().describe('Shell command'),
    cwd: z.string().optional().describe("Folder to start in: 'work', 'out/x', 'skills/<name>'"),
    env: z.record(z.string(), z.string()).optional().describe('Further environment variables'),
    stdin: z.string().optional().describe('Standard input of the command'),
    timeout: z.number().optional().describe('Timeout in seconds (default 300)'),
    yield_time_ms: z
      .int()
      .optional()
      .describe('Return after at most this time; the command keeps running and has a session_id'),
    background: z.boolean().optional().describe('Return at once; the command keeps running'),
    tty: z.boolean().optional().describe('Connect the command to a terminal'),
    ...COMMAND_CALLER_PARAMS,
  }),
  result: workspaceView,
})

export type WorkspaceExecParams = MethodParams<typeof workspaceExecMethod>
export type WorkspaceExecResult = MethodResult<typeof workspaceExecMethod>
