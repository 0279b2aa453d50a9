import { z } from 'zod'
import { jsonObject, toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { DETACH_DESCRIPTION, RUN_CALLER_RESULTS, runResult } from '../run-result.ts'

export const executeSkillMethod = defineMethod({
  name: 'execute_skill',
  description: "Execute a skill's entrypoint in an ephemeral sandbox.",
  params: z.strictObject({
    name: z.string().describe("Skill name (e.g., 'salesforce.leads.sync')"),
    version: z.string().optional().describe('Skill version (omit for latest)'),
    args: jsonObject.optional().describe('JSON-serializable arguments to pass to the skill'),
    input_blobs: toReadonlySchema(z.array(z.string()))
      .optional()
      .describe('Blob IDs to mount in the sandbox; the skill can read no other blob'),
    timeout_ms: z
      .int()
      .min(1)
      .optional()
      .describe("Execution timeout in milliseconds (omit for the runtime's default)"),
    detach: z.boolean().optional().describe(DETACH_DESCRIPTION),
  }),
  result: runResult,
  callerResults: RUN_CALLER_RESULTS,
})

export type ExecuteSkillParams = MethodParams<typeof executeSkillMethod>
