import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

/** Parts of a skill in which words are found, the most telling first. */
export const SEARCHED_PARTS = ['name', 'tags', 'description', 'inputs', 'documents'] as const

export const searchSkillsMethod = defineMethod({
  name: 'search_skills',
  description:
    'Find skills by words in their names, tags, descriptions, inputs and documents. A skill is found if it has all words.',
  params: z.strictObject({
    query: z.string().max(500).describe('Words; empty lists all skills'),
    limit: z.int().min(1).max(1000).default(50).describe('Maximum number of results'),
  }),
  result: z.object({
    skills: toReadonlySchema(
      z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          description: z.string(),
          namespace: z.string(),
          kind: z.enum(['action', 'instruction']),
          tags: toReadonlySchema(z.array(z.string())),
          inputs: toReadonlySchema(z.array(z.string())),
          found_in: toReadonlySchema(z.array(z.enum(SEARCHED_PARTS))),
          excerpt: z.string().exactOptional().describe('Text around a word in a document'),
          missing: toReadonlySchema(z.array(z.string())).describe(
            'Sentences about what this machine lacks for it',
          ),
        }),
      ),
    ),
    total: z.int().describe('Number of all results'),
    problems: toReadonlySchema(
      z.array(z.object({ skill: z.string(), message: z.string() })),
    ).describe('Folders that are not valid skills'),
  }),
})

export type SearchSkillsParams = MethodParams<typeof searchSkillsMethod>
export type SearchSkillsResult = MethodResult<typeof searchSkillsMethod>
export type FoundSkillRow = SearchSkillsResult['skills'][number]
