import { z } from 'zod'
import {
  COMMAND_CALLER_PARAMS,
  COMMAND_CALLER_PARAM_NAMES,
  TERMINAL_PARAMS,
  TERMINAL_PARAM_NAMES,
  POLLING_PARAMS,
  sessionView,
  REQUIRE_LOAD_PARAM,
  SKILL_COMMAND_PARAMS,
} from '../command-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

export const skillExecMethod = defineMethod({
  name: 'skill_exec',
  description:
    'Start a command of a skill that may ask for input or run for a long time. Send input with skill_write_stdin, read output with skill_poll_session, end it with skill_kill_session. Use skill_run for commands that need no input.',
  callerParams: [...COMMAND_CALLER_PARAM_NAMES, ...TERMINAL_PARAM_NAMES, 'require_load', 'longest'],
  spellings: {},
  params: z.strictObject({
    ...SKILL_COMMAND_PARAMS,
    tty: z.boolean().optional().describe('Connect the command to a terminal'),
    ...POLLING_PARAMS,
    ...TERMINAL_PARAMS,
    longest: z.boolean().optional().describe('Until the limit that the operator sets'),
    ...COMMAND_CALLER_PARAMS,
    ...REQUIRE_LOAD_PARAM,
  }),
  result: sessionView,
})

export type SkillExecParams = MethodParams<typeof skillExecMethod>
