import { z } from 'zod'
import type { RunResult } from '../../runs/result.ts'
import { jsonObject } from '../json-object.ts'
import type { Method } from '../method.ts'
import { runResult } from '../run-result.ts'
import { executeSkill, type ExecuteSkillParams } from './run.ts'

export const executeSkillMethod: Method<ExecuteSkillParams, RunResult> = {
  name: 'execute_skill',
  description: "Execute a skill's entrypoint in an ephemeral sandbox.",
  readOnly: false,
  params: z.strictObject({
    name: z.string().describe("Skill name (e.g., 'salesforce.leads.sync')"),
    version: z.string().optional().describe('Skill version (omit for latest)'),
    args: jsonObject.optional().describe('JSON-serializable arguments to pass to the skill'),
    input_blobs: z
      .array(z.string())
      .optional()
      .describe('Blob IDs to mount in the sandbox; the skill can read no other blob'),
    timeout_ms: z
      .int()
      .min(1)
      .optional()
      .describe("Execution timeout in milliseconds (omit for the runtime's default)"),
  }),
  result: runResult,
  run: executeSkill,
}
