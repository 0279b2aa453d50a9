import { z } from 'zod'
import { jsonObject, toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { DETACH_DESCRIPTION, RUN_CALLER_RESULTS, runResult } from '../run-result.ts'
import {
  SKILL_LANGUAGE_NAMES,
  type SkillLanguageName,
} from '../../skills/manifest/skill-languages.ts'

export const runCodeMethod = defineMethod({
  name: 'run_code',
  description:
    'Execute LLM-written code in a sandbox with specified skills and blobs mounted. The code defines the entrypoint function, imports mounted skills with `from skills.<name> import <function>` and helpers with `from runtime import blobs, log`.',
  params: z.strictObject({
    language: (z.enum(SKILL_LANGUAGE_NAMES) as z.ZodType<SkillLanguageName, string>).describe(
      'Programming language; the protocol itself knows python only',
    ),
    code: z.string().describe('Source code to execute'),
    entrypoint: z.string().default('main').describe('Function name to call'),
    args: jsonObject.optional().describe('Arguments to pass to entrypoint function'),
    mount_skills: toReadonlySchema(z.array(z.string()))
      .optional()
      .describe("Skill names to mount in sandbox (a name, or 'name@version')"),
    input_blobs: toReadonlySchema(z.array(z.string()))
      .optional()
      .describe('Blob IDs to mount in sandbox; the code can read no other blob'),
    limits: z
      .strictObject({
        timeout_ms: z
          .int()
          .min(1)
          .optional()
          .describe("Execution timeout in milliseconds (omit for the runtime's default)"),
      })
      .optional()
      .describe('Execution limits'),
    detach: z.boolean().optional().describe(DETACH_DESCRIPTION),
    kernel: z
      .string()
      .optional()
      .describe(
        'Id of a kernel, chosen by you: a living interpreter that executes the code as a cell and keeps its variables and imports for later calls with this id. Python or Node only, without an entrypoint: the output is the value of the last expression. Its skills, blobs and permissions are fixed by the first call',
      ),
  }),
  result: runResult,
  callerResults: RUN_CALLER_RESULTS,
})

export type RunCodeParams = MethodParams<typeof runCodeMethod>
