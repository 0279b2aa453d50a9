import { z } from 'zod'
import type { Method } from '../method.ts'
import { keptPage, listKeptPage } from './fast-path/kept-pages.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, type ListSkillsParams, type ListSkillsResult } from './run.ts'

const skill = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  namespace: z.string(),
  kind: z.enum(['action', 'instruction']),
  tags: z.array(z.string()).optional(),
  short_description: z.string().nullable().optional(),
  inputs: z.array(z.string()).optional(),
})

export const listSkillsMethod: Method<ListSkillsParams, ListSkillsResult> = {
  name: 'list_skills',
  description:
    'Enumerate available skills, optionally filtering by namespace. Results are deterministically sorted.',
  readOnly: true,
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
    cursor: z.string().optional().describe('Pagination cursor from previous response'),
  }),
  result: z.object({ skills: z.array(skill), next_cursor: z.string().nullable() }) as never,
  known: keptPage,
  run: listKeptPage,
}
