import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const readSkillFileMethod = defineMethod({
  name: 'read_skill_file',
  description: "Read any file in a skill's directory (e.g., SKILL.md, extra docs, schemas).",
  params: z.strictObject({
    name: z.string().describe('Skill name'),
    version: z.string().optional().describe('Skill version (omit for latest)'),
    path: z.string().describe("Path to file within skill directory (e.g., 'SKILL.md')"),
  }),
  result: z.object({
    content: z.string(),
    encoding: z.literal('base64').exactOptional(),
    kind: z.string(),
    size_bytes: z.int(),
  }),
})

export type ReadSkillFileParams = MethodParams<typeof readSkillFileMethod>
export type ReadSkillFileResult = MethodResult<typeof readSkillFileMethod>
