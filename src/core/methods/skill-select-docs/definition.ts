import { z } from 'zod'
import { SELECT_MODES } from '../../skill-context/load-skill.ts'
import { LOADING_PARAMS, LOADING_PARAM_NAMES } from '../session-params.ts'
import { defineMethod, type MethodResult } from '../define-method.ts'

export const skillSelectDocsMethod = defineMethod({
  name: 'skill_select_docs',
  description: 'Choose the documents of a loaded skill that are in the conversation.',
  callerParams: LOADING_PARAM_NAMES,
  spellings: {},
  params: z.strictObject({
    skill: z.string(),
    docs: z.array(z.string()).optional().describe('Names from skill_list_docs'),
    include_all_docs: z.boolean().optional(),
    mode: z
      .string()
      .optional()
      .meta({ enum: [...SELECT_MODES], default: 'replace' }),
    ...LOADING_PARAMS,
  }),
  result: z.object({
    skill: z.string(),
    selected_docs: z.array(z.string()).exactOptional(),
    include_all_docs: z.boolean().exactOptional(),
    mode: z.enum(SELECT_MODES),
    content: z.string().exactOptional().describe('Documents that were not selected before'),
  }),
})

export type SkillSelectDocsResult = MethodResult<typeof skillSelectDocsMethod>
