import { z } from 'zod'
import { LOADING_PARAMS, LOADING_PARAM_NAMES } from '../session-params.ts'
import { defineMethod } from '../define-method.ts'

export const skillLoadMethod = defineMethod({
  name: 'skill_load',
  description:
    'Load a skill before following it: its instructions, and those of its documents that are named, become part of the conversation. The result is short; the content comes with it or with the system message. Load no documents at first, and select those that the instructions name.',
  callerParams: LOADING_PARAM_NAMES,
  spellings: { mode: 'load_mode' },
  params: z.strictObject({
    skill: z.string().describe('Name of the skill, as in the list of available skills'),
    docs: z
      .array(z.string())
      .optional()
      .describe(
        "Documents to load as well, such as 'USAGE.md', or parts such as 'USAGE.md#install' or 'USAGE.md:10-40'",
      ),
    include_all_docs: z
      .boolean()
      .optional()
      .describe('Load every document of the skill; prefer docs, since this may be long'),
    ...LOADING_PARAMS,
  }),
  result: z.string().describe("'loaded: <skill>', and the content if include_content is set"),
})
