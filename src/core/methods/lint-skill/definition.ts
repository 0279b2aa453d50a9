import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { SKILL_PARAMS } from '../skill-params.ts'

const position = z.object({ line: z.int(), column: z.int() })

const finding = z.object({
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  file: z.string().describe('Path within the skill'),
  start: position.nullable(),
  end: position.nullable(),
  message: z.string(),
  help: z.string().nullable(),
  related: toReadonlySchema(
    z.array(z.object({ file: z.string(), start: position.nullable(), message: z.string() })),
  ),
  fix: z
    .enum(['safe', 'unsafe'])
    .nullable()
    .describe('The option of skills lint that fixes it: --fix or --fix-unsafe'),
  diff: z.string().nullable().describe('What the fix changes, as a unified diff'),
})

export const lintSkillMethod = defineMethod({
  name: 'lint_skill',
  description: 'Check a skill as "skills lint" does, and return its findings.',
  params: z.strictObject(SKILL_PARAMS),
  result: z.object({
    findings: toReadonlySchema(z.array(finding)),
    errors: z.int(),
    warnings: z.int(),
    infos: z.int(),
    failures: toReadonlySchema(z.array(z.object({ message: z.string() }))).describe(
      'Reasons why files could not be checked',
    ),
  }),
})

export type LintSkillParams = MethodParams<typeof lintSkillMethod>
export type LintSkillResult = MethodResult<typeof lintSkillMethod>
