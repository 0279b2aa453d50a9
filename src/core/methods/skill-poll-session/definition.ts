import { z } from 'zod'
import { OF_TERMINAL, POLLING, SESSION_ID, sessionView } from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod } from '../define-method.ts'

export const skillPollSessionMethod = defineMethod({
  name: 'skill_poll_session',
  description: 'Get what a command of skill_exec printed since the last call, and how it ended.',
  ofCaller: [...OF_CALLER, 'raw'],
  spellings: {},
  params: z.strictObject({ ...SESSION_ID, ...POLLING, raw: OF_TERMINAL.raw, ...IN_SESSION }),
  result: sessionView,
})
