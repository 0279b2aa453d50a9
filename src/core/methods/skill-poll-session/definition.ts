import { z } from 'zod'
import {
  TERMINAL_PARAMS,
  POLLING_PARAMS,
  SESSION_ID_PARAM,
  sessionView,
} from '../command-params.ts'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const skillPollSessionMethod = defineMethod({
  name: 'skill_poll_session',
  description: 'Get what a command of skill_exec printed since the last call, and how it ended.',
  callerParams: [...SESSION_PARAM_NAMES, 'raw'],
  spellings: {},
  params: z.strictObject({
    ...SESSION_ID_PARAM,
    ...POLLING_PARAMS,
    raw: TERMINAL_PARAMS.raw,
    ...SESSION_PARAMS,
  }),
  result: sessionView,
})
