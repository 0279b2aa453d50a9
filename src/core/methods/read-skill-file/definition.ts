import { z } from 'zod'
import type { Method } from '../method.ts'
import { readSkillFile, type ReadSkillFileParams, type ReadSkillFileResult } from './run.ts'

export const readSkillFileMethod: Method<ReadSkillFileParams, ReadSkillFileResult> = {
  name: 'read_skill_file',
  description: "Read any file in a skill's directory (e.g., SKILL.md, extra docs, schemas).",
  readOnly: true,
  params: z.strictObject({
    name: z.string().describe('Skill name'),
    version: z.string().optional().describe('Skill version (omit for latest)'),
    path: z.string().describe("Path to file within skill directory (e.g., 'SKILL.md')"),
  }),
  result: z.object({
    content: z.string(),
    encoding: z.literal('base64').optional(),
    kind: z.string(),
    size_bytes: z.int(),
  }) as never,
  run: readSkillFile,
}
