import { z } from 'zod'
import {
  TERMINAL_PARAMS,
  TERMINAL_PARAM_NAMES,
  POLLING_PARAMS,
  SESSION_ID_PARAM,
  sessionView,
} from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

export const skillWriteStdinMethod = defineMethod({
  name: 'skill_write_stdin',
  description:
    'Send input to a running command of skill_exec and get its next output. Without chars and submit, only read output.',
  callerParams: [...SESSION_PARAM_NAMES, ...TERMINAL_PARAM_NAMES, 'end_input'],
  spellings: {},
  params: z.strictObject({
    ...SESSION_ID_PARAM,
    chars: z.string().optional().describe('Input to send, unchanged'),
    submit: z.boolean().optional().describe('Press Enter after the input'),
    ...POLLING_PARAMS,
    ...TERMINAL_PARAMS,
    end_input: z.boolean().optional().describe('Nothing more is typed'),
    ...SESSION_PARAMS,
  }),
  result: sessionView,
})

export type WriteParams = MethodParams<typeof skillWriteStdinMethod>
