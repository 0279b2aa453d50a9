import { z } from 'zod'
import { jsonObject, unchanged } from '../json-object.ts'
import { defineMethod, type ParamsOf, type ResultOf } from '../define-method.ts'

export const createSkillMethod = defineMethod({
  name: 'create_skill',
  description:
    'Register a new skill. A version that exists is never replaced; the skill has no secrets and no network until the operator grants them.',
  params: z.strictObject({
    manifest: jsonObject.describe('skill.toml as JSON: name, version, description, kind and so on'),
    skill_md: z.string().describe('SKILL.md: instructions and examples, as Markdown'),
    files: unchanged(
      z.array(
        z.strictObject({
          path: z.string().describe("Path within the skill (e.g., 'code/main.py')"),
          content: z.string(),
          encoding: z
            .literal('base64')
            .optional()
            .describe("'base64' where content is base64 of bytes that are no text"),
        }),
      ),
    )
      .default([])
      .describe('Every other file of the skill'),
  }),
  result: z.object({ name: z.string(), version: z.string() }),
})

export type CreateSkillParams = ParamsOf<typeof createSkillMethod>
export type CreateSkillResult = ResultOf<typeof createSkillMethod>
