import { z } from 'zod'
import {
  writeToSession,
  type SessionParams,
  type SkillSessionView,
} from '../../workspace/skill-exec.ts'
import { POLLING, SESSION_ID, sessionView } from '../command-params.ts'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import type { Method } from '../method.ts'

type Params = SessionParams & { chars?: string | undefined; submit?: boolean | undefined }

export const skillWriteStdinMethod: Method<Params, SkillSessionView> = {
  name: 'skill_write_stdin',
  description:
    'Type into a running command of skill_exec and get what it prints next. Without chars and submit it only looks.',
  readOnly: false,
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({
    ...SESSION_ID,
    chars: z.string().optional().describe('What to type, as it is'),
    submit: z.boolean().optional().describe('Press Enter after it'),
    ...POLLING,
    ...IN_SESSION,
  }),
  result: sessionView as never,
  run: writeToSession,
}
