import { z } from 'zod'
import type { Method } from '../method.ts'
import { describeSkill, type DescribeSkillParams, type DescribeSkillResult } from './run.ts'

export const describeSkillMethod: Method<DescribeSkillParams, DescribeSkillResult> = {
  name: 'describe_skill',
  description: "Retrieve a skill's manifest and documentation frontmatter.",
  readOnly: true,
  params: z.strictObject({
    name: z.string().describe("Skill name (e.g., 'salesforce.leads.sync')"),
    version: z.string().optional().describe('Skill version (omit for latest)'),
    detail: z
      .enum(['manifest', 'summary', 'full'])
      .default('summary')
      .describe('Level of detail to return'),
  }),
  result: z.object({
    skill: z.object({
      manifest: z.record(z.string(), z.unknown()),
      versions: z.array(z.string()),
      skill_md_frontmatter: z.record(z.string(), z.unknown()).optional(),
      skill_md: z.string().optional(),
      files: z.array(z.object({ path: z.string(), size_bytes: z.int() })).optional(),
    }),
  }) as never,
  run: describeSkill,
}
