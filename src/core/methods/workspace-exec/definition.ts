import { z } from 'zod'
import { AROUND_COMMANDS, OF_COMMAND_CALLER } from '../command-params.ts'
import { workspaceView } from '../workspace-view.ts'
import { defineMethod, type ParamsOf, type ResultOf } from '../define-method.ts'

export const workspaceExecMethod = defineMethod({
  name: 'workspace_exec',
  description:
    'Run a shell command in the workspace of this conversation, sandboxed. Loaded skills lie below skills/<name>; write results below out/. It starts at the top of the workspace.',
  ofCaller: OF_COMMAND_CALLER,
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
    ...AROUND_COMMANDS,
  }),
  result: workspaceView,
})

export type WorkspaceExecParams = ParamsOf<typeof workspaceExecMethod>
export type WorkspaceExecResult = ResultOf<typeof workspaceExecMethod>
