import { z } from 'zod'
import { SELECT_MODES } from '../../skill-context/load-skill.ts'
import { LOADING, OF_LOADING_CALLER } from '../in-session.ts'
import type { Method } from '../method.ts'
import { skillSelectDocs, type SkillSelectDocsParams, type SkillSelectDocsResult } from './run.ts'

export const skillSelectDocsMethod: Method<SkillSelectDocsParams, SkillSelectDocsResult> = {
  name: 'skill_select_docs',
  description:
    'Choose which documents of a loaded skill are part of the conversation: add to them, replace them, or clear them.',
  readOnly: true,
  ofCaller: OF_LOADING_CALLER,
  spellings: {},
  params: z.strictObject({
    skill: z.string().describe('Name of the skill'),
    docs: z.array(z.string()).optional().describe('Documents as skill_list_docs names them'),
    include_all_docs: z.boolean().optional().describe('Select every document of the skill'),
    mode: z
      .string()
      .optional()
      .describe('What to do with the selection that there is')
      .meta({ enum: [...SELECT_MODES], default: 'replace' }),
    ...LOADING,
  }),
  result: z.object({
    skill: z.string(),
    selected_docs: z.array(z.string()).optional(),
    include_all_docs: z.boolean().optional(),
    mode: z.enum(SELECT_MODES),
    content: z.string().optional().describe('Documents that were not selected before'),
  }) as never,
  run: skillSelectDocs,
}
