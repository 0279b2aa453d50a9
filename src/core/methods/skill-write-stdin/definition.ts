import { z } from 'zod'
import {
  OF_TERMINAL,
  OF_TERMINAL_CALLER,
  POLLING,
  SESSION_ID,
  sessionView,
} from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod, type ParamsOf } from '../define-method.ts'

export const skillWriteStdinMethod = defineMethod({
  name: 'skill_write_stdin',
  description:
    'Type into a running command of skill_exec and get what it prints next. Without chars and submit it only looks.',
  ofCaller: [...OF_CALLER, ...OF_TERMINAL_CALLER, 'end_input'],
  spellings: {},
  params: z.strictObject({
    ...SESSION_ID,
    chars: z.string().optional().describe('What to type, as it is'),
    submit: z.boolean().optional().describe('Press Enter after it'),
    ...POLLING,
    ...OF_TERMINAL,
    end_input: z.boolean().optional().describe('Nothing more is typed'),
    ...IN_SESSION,
  }),
  result: sessionView,
})

export type WriteParams = ParamsOf<typeof skillWriteStdinMethod>
