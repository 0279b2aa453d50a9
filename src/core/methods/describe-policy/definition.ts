import { z } from 'zod'
import { defineMethod, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'

const place = z.string().describe('File and line')

const setting = z.object({
  key: z.string(),
  value: z.unknown(),
  shown: z.string().describe('The value with its unit'),
  layer: z.string().nullable(),
  place,
})

const scope = z.object({
  name: z.string().describe('Name of the rule, or of the file'),
  is_rule: z.boolean(),
  place,
  parts: toReadonlySchema(
    z.array(
      z.object({
        part: z.enum(['when', 'allow', 'deny', 'limits', 'require', 'refuse', 'approve']),
        setting: z.string().nullable(),
        value: z.unknown(),
        place,
      }),
    ),
  ),
})

const repository = z.object({
  name: z.string(),
  path: z.string(),
  mode: z.string(),
  place,
  problem: z.string().nullable().describe('Reason why it cannot be used'),
})

export const describePolicyMethod = defineMethod({
  name: 'describe_policy',
  description:
    'List every setting and rule that affects runs with its location, as "skills policy explain" does.',
  params: z.strictObject({}),
  result: z.object({
    files: toReadonlySchema(
      z.array(
        z.object({ path: z.string(), trust: z.enum(['operator', 'project']), digest: z.string() }),
      ),
    ).describe('Policy files that are in force'),
    looked_for: z.object({ operator: z.string().nullable(), project: z.string().nullable() }),
    settings: toReadonlySchema(z.array(setting)),
    scopes: toReadonlySchema(z.array(scope)),
    programs: toReadonlySchema(
      z.array(
        z.object({
          name: z.string(),
          network: toReadonlySchema(z.array(z.string())),
          when: plainRecord.describe('Conditions of the row'),
          place,
        }),
      ),
    ).describe('Destinations that programs may reach'),
    approval: plainRecord.nullable().describe('The hook that approves runs'),
    repositories: toReadonlySchema(z.array(repository)),
  }),
})

export type DescribePolicyResult = MethodResult<typeof describePolicyMethod>
