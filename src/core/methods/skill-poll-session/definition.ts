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
  description:
    'Get the output of a skill_exec command since the last call, and its exit code once it has ended.',
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
