import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from './page-size.ts'

const skill = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  namespace: z.string(),
  kind: z.enum(['action', 'instruction']),
  tags: toReadonlySchema(z.array(z.string())).exactOptional(),
  short_description: z.string().nullable().exactOptional(),
  inputs: toReadonlySchema(z.array(z.string())).exactOptional(),
})

export const listSkillsMethod = defineMethod({
  name: 'list_skills',
  description:
    'Enumerate available skills, optionally filtering by namespace. Results are deterministically sorted.',
  params: z.strictObject({
    namespace: z
      .string()
      .optional()
      .describe("Optional namespace to filter skills (e.g., 'salesforce')"),
    detail: z.enum(['names', 'summary']).default('names').describe('Level of detail to return'),
    limit: z
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .default(DEFAULT_LIMIT)
      .describe('Maximum number of results'),
    // Accepts null, the cursor of the last page, as an omitted cursor.
    cursor: (z.string() as z.ZodType<string, string | null>)
      .optional()
      .describe('Pagination cursor from previous response'),
  }),
  result: z.object({ skills: z.array(skill), next_cursor: z.string().nullable() }),
})

export type ListSkillsParams = MethodParams<typeof listSkillsMethod>
export type ListSkillsResult = MethodResult<typeof listSkillsMethod>
export type ListedSkill = ListSkillsResult['skills'][number]
