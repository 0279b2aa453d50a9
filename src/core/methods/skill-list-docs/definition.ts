import { z } from 'zod'
import { IN_SESSION, OF_CALLER } from '../in-session.ts'
import type { Method } from '../method.ts'
import { skillListDocs, type SkillListDocsParams } from './run.ts'

export const skillListDocsMethod: Method<SkillListDocsParams, string[]> = {
  name: 'skill_list_docs',
  description: 'List the documents of a skill, to choose from before selecting any.',
  readOnly: true,
  ofCaller: OF_CALLER,
  spellings: {},
  params: z.strictObject({
    skill: z.string().describe('Name of the skill'),
    session: IN_SESSION.session.optional(),
    agent: IN_SESSION.agent,
  }),
  result: z.array(z.string()),
  run: skillListDocs,
}
