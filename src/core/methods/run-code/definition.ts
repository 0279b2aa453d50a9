import { z } from 'zod'
import type { RunResult } from '../../runs/result.ts'
import { jsonObject } from '../json-object.ts'
import type { Method } from '../method.ts'
import { runResult } from '../run-result.ts'
import { runCode, type RunCodeParams } from './run.ts'
import { SKILL_LANGUAGE_NAMES } from '../../skills/manifest/skill-languages.ts'

export const runCodeMethod: Method<RunCodeParams, RunResult> = {
  name: 'run_code',
  description:
    'Execute LLM-written code in a sandbox with specified skills and blobs mounted. The code defines the entrypoint function, imports mounted skills with `from skills.<name> import <function>` and helpers with `from runtime import blobs, log`.',
  readOnly: false,
  params: z.strictObject({
    language: z
      .enum(SKILL_LANGUAGE_NAMES)
      .describe('Programming language; the protocol itself knows python only'),
    code: z.string().describe('Source code to execute'),
    entrypoint: z.string().default('main').describe('Function name to call'),
    args: jsonObject.optional().describe('Arguments to pass to entrypoint function'),
    mount_skills: z
      .array(z.string())
      .optional()
      .describe("Skill names to mount in sandbox (a name, or 'name@version')"),
    input_blobs: z
      .array(z.string())
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
  }),
  result: runResult,
  run: runCode,
}
