import { z } from 'zod'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import { defineMethod, type ParamsOf } from '../define-method.ts'

export const skillListDocsMethod = defineMethod({
  name: 'skill_list_docs',
  description: 'List the documents of a skill, to choose from before selecting any.',
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({
    skill: z.string().describe('Name of the skill'),
    session: IN_SESSION.session.optional(),
    agent: IN_SESSION.agent,
  }),
  result: z.array(z.string()),
})

export type SkillListDocsParams = ParamsOf<typeof skillListDocsMethod>
