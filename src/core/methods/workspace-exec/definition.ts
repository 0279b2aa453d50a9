import { z } from 'zod'
import {
  COMMAND_CALLER_PARAMS,
  COMMAND_CALLER_PARAM_NAMES,
  OUTPUT_GLOBS,
  REQUIRE_LOAD_PARAM,
} from '../command-params.ts'
import { WORKSPACE_VIEW_CALLER_RESULTS, workspaceView } from '../workspace-view.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const workspaceExecMethod = defineMethod({
  name: 'workspace_exec',
  description:
    'Run a shell command in the sandboxed workspace, in its root or in the folder of a loaded skill. Write results to out/.',
  callerParams: [...COMMAND_CALLER_PARAM_NAMES, 'require_load'],
  spellings: {
    yieldMs: 'yield_time_ms',
    pty: 'tty',
    output_files: 'outputs',
  },
  params: z.strictObject({
    command: z.string(),
    skill: z
      .string()
      .optional()
      .describe('Run as this skill: in its folder, with its secrets and hosts'),
    cwd: z.string().optional().describe("'work', 'out/x', 'skills/<name>'; or below the skill"),
    env: z.record(z.string(), z.string()).optional(),
    stdin: z.string().optional(),
    outputs: OUTPUT_GLOBS.optional(),
    timeout: z.number().optional().describe('Seconds (default 300)'),
    yield_time_ms: z
      .int()
      .optional()
      .describe('Return after this time; the command goes on and has a session_id'),
    background: z.boolean().optional().describe('Return at once'),
    tty: z.boolean().optional().describe('Connect a terminal'),
    ...COMMAND_CALLER_PARAMS,
    ...REQUIRE_LOAD_PARAM,
  }),
  result: workspaceView,
  callerResults: WORKSPACE_VIEW_CALLER_RESULTS,
})

export type WorkspaceExecParams = MethodParams<typeof workspaceExecMethod>
export type WorkspaceExecResult = MethodResult<typeof workspaceExecMethod>
