import { z } from 'zod'
import { jsonObject, toReadonlySchema } from '../json-object.ts'
import { SESSION_PARAMS } from '../session-params.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { DETACH_DESCRIPTION, RUN_CALLER_RESULTS, runResult } from '../run-result.ts'
import {
  SKILL_LANGUAGE_NAMES,
  type SkillLanguageName,
} from '../../skills/manifest/skill-languages.ts'

/** The types of callers accept any text. */
const LANGUAGE: z.ZodType<SkillLanguageName, string> = z.enum(SKILL_LANGUAGE_NAMES)

export const runCodeMethod = defineMethod({
  name: 'run_code',
  description:
    'Execute LLM-written code in a sandbox. It defines the entrypoint function; `from skills.<name> import <function>` imports a mounted skill, `from runtime import blobs, log` helpers.',
  params: z.strictObject({
    language: LANGUAGE.describe('Programming language'),
    code: z.string().describe('Source code'),
    entrypoint: z.string().default('main').describe('Function name to call'),
    args: jsonObject.optional().describe('Arguments of the function'),
    mount_skills: toReadonlySchema(z.array(z.string()))
      .optional()
      .describe('Mounted skills: name or name@version'),
    input_blobs: toReadonlySchema(z.array(z.string()))
      .optional()
      .describe('Blob IDs to mount; others cannot be read'),
    limits: z
      .strictObject({
        timeout_ms: z.int().min(1).optional().describe('Milliseconds'),
      })
      .optional()
      .describe('Execution limits'),
    detach: z.boolean().optional().describe(DETACH_DESCRIPTION),
    kernel: z
      .string()
      .optional()
      .describe(
        'Your id of a python or node interpreter that keeps variables; the output is the last expression, the first call fixes skills and blobs',
      ),
    session: SESSION_PARAMS.session
      .optional()
      .describe('Name of a conversation, whose files are the working directory'),
  }),
  callerParams: ['session'],
  result: runResult,
  callerResults: RUN_CALLER_RESULTS,
})

export type RunCodeParams = MethodParams<typeof runCodeMethod>
