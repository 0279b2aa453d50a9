import { z } from 'zod'
import { jsonObject } from '../json-object.ts'
import type { Method } from '../method.ts'
import { createSkill, type CreateSkillParams, type CreateSkillResult } from './run.ts'

export const createSkillMethod: Method<CreateSkillParams, CreateSkillResult> = {
  name: 'create_skill',
  description:
    'Register a new skill. A version that exists is never replaced; the skill has no secrets and no network until the operator grants them.',
  readOnly: false,
  params: z.strictObject({
    manifest: jsonObject.describe('skill.toml as JSON: name, version, description, kind and so on'),
    skill_md: z.string().describe('SKILL.md: instructions and examples, as Markdown'),
    files: z
      .array(
        z.strictObject({
          path: z.string().describe("Path within the skill (e.g., 'code/main.py')"),
          content: z.string(),
          encoding: z
            .literal('base64')
            .optional()
            .describe("'base64' where content is base64 of bytes that are no text"),
        }),
      )
      .default([])
      .describe('Every other file of the skill'),
  }),
  result: z.object({ name: z.string(), version: z.string() }),
  run: createSkill,
}
