import { z } from 'zod'
import {
  AROUND_COMMANDS,
  OF_COMMAND_CALLER,
  OF_TERMINAL,
  OF_TERMINAL_CALLER,
  POLLING,
  sessionView,
  SKILL_COMMAND,
} from '../command-params.ts'
import { defineMethod, type ParamsOf } from '../define-method.ts'

export const skillExecMethod = defineMethod({
  name: 'skill_exec',
  description:
    'Start a command of a skill that may ask for input or go on for long. Answer it with skill_write_stdin, look at it with skill_poll_session, end it with skill_kill_session. Use skill_run for commands that need no input.',
  ofCaller: [...OF_COMMAND_CALLER, ...OF_TERMINAL_CALLER, 'require_load', 'longest'],
  spellings: {},
  params: z.strictObject({
    ...SKILL_COMMAND,
    tty: z.boolean().optional().describe('Give it a terminal'),
    ...POLLING,
    ...OF_TERMINAL,
    longest: z.boolean().optional().describe('As long as the operator allows'),
    ...AROUND_COMMANDS,
    require_load: z.boolean().optional().describe('Refuse it unless skill_load came before'),
  }),
  result: sessionView,
})

export type SkillExecParams = ParamsOf<typeof skillExecMethod>
