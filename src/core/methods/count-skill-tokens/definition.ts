import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { SKILL_PARAMS } from '../skill-params.ts'

export const countSkillTokensMethod = defineMethod({
  name: 'count_skill_tokens',
  description:
    'Count the tokens of a skill by layer: its line in the overview, its body, its documents. Counts are approximate for models of other vendors.',
  params: z.strictObject({
    ...SKILL_PARAMS,
    encoding: z.enum(['o200k', 'cl100k']).default('o200k').describe('Vocabulary'),
  }),
  result: z.object({
    version: z.string(),
    encoding: z.string(),
    overview: z.int(),
    body: z.int(),
    docs: z.int(),
    total: z.int(),
    documents: toReadonlySchema(z.array(z.object({ path: z.string(), tokens: z.int() }))),
    skipped: toReadonlySchema(z.array(z.object({ path: z.string(), reason: z.string() }))),
  }),
})

export type CountSkillTokensParams = MethodParams<typeof countSkillTokensMethod>
export type CountSkillTokensResult = MethodResult<typeof countSkillTokensMethod>
