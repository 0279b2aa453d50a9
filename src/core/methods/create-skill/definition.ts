import { z } from 'zod'
import { jsonObject, toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const createSkillMethod = defineMethod({
  name: 'create_skill',
  description:
    'Register a new skill. A version that exists is never replaced; the skill has no secrets and no network until the operator grants them.',
  params: z.strictObject({
    manifest: jsonObject.describe('skill.toml as JSON: name, version, description, kind and so on'),
    skill_md: z.string().describe('SKILL.md: instructions and examples, as Markdown'),
    files: toReadonlySchema(
      z.array(
        z.strictObject({
          path: z.string().describe("Path within the skill (e.g., 'code/main.py')"),
          content: z.string(),
          encoding: z
            .literal('base64')
            .optional()
            .describe("'base64' if content is base64 of bytes that are not text"),
        }),
      ),
    )
      .default([])
      .describe('Every other file of the skill'),
  }),
  result: z.object({ name: z.string(), version: z.string() }),
})

export type CreateSkillParams = MethodParams<typeof createSkillMethod>
export type CreateSkillResult = MethodResult<typeof createSkillMethod>
