import { z } from 'zod'
import { LOADING_PARAMS, LOADING_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const skillLoadMethod = defineMethod({
  name: 'skill_load',
  description:
    'Load the instructions of a skill, and documents that they name, into the conversation.',
  callerParams: LOADING_PARAM_NAMES,
  spellings: { mode: 'load_mode' },
  params: z.strictObject({
    skill: z.string().describe('Name in the list of skills'),
    docs: z
      .array(z.string())
      .optional()
      .describe("Documents or parts: 'USAGE.md', 'USAGE.md#install', 'USAGE.md:10-40'"),
    include_all_docs: z.boolean().optional().describe('May be long'),
    ...LOADING_PARAMS,
  }),
  result: z.string().describe("'loaded: <skill>', and the content if include_content is set"),
})
