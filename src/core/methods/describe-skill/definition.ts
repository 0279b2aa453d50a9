import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'

export const describeSkillMethod = defineMethod({
  name: 'describe_skill',
  description: "Retrieve a skill's manifest and documentation frontmatter.",
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
      manifest: plainRecord,
      versions: toReadonlySchema(z.array(z.string())),
      skill_md_frontmatter: plainRecord.exactOptional(),
      skill_md: z.string().exactOptional(),
      files: toReadonlySchema(
        z.array(z.object({ path: z.string(), size_bytes: z.int() })),
      ).exactOptional(),
    }),
  }),
})

export type DescribeSkillParams = MethodParams<typeof describeSkillMethod>
export type DescribeSkillResult = MethodResult<typeof describeSkillMethod>
