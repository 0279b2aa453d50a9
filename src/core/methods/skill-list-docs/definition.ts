import { z } from 'zod'
import { SESSION_PARAMS, SESSION_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'

export const skillListDocsMethod = defineMethod({
  name: 'skill_list_docs',
  description: 'List the documents of a skill.',
  callerParams: SESSION_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    skill: z.string(),
    session: SESSION_PARAMS.session.optional(),
    agent: SESSION_PARAMS.agent,
  }),
  result: z.array(z.string()),
})

export type SkillListDocsParams = MethodParams<typeof skillListDocsMethod>
