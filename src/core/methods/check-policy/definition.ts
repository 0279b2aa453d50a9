import { z } from 'zod'
import { POLICY_RUN_KINDS } from '../../policy/policy-request.ts'
import { LAYERS } from '../../policy/verdict.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'

const texts = toReadonlySchema(z.array(z.string().max(4096)).max(1000))
const name = z.string().max(4096)

const denial = z.object({
  code: z.string(),
  layer: z.enum(LAYERS),
  sentence: z.string(),
  by: z.string().exactOptional().describe('Name of the rule, setting or file'),
})

const layer = z.object({
  layer: z.enum(LAYERS),
  verdict: z.enum(['pass', 'deny', 'ask']),
  sentence: z.string(),
  denials: toReadonlySchema(z.array(denial)),
})

export const checkPolicyMethod = defineMethod({
  name: 'check_policy',
  description:
    'Return the decision of each layer of the policy on a request, without a run, as "skills policy check" does.',
  params: z.strictObject({
    kind: z
      .enum(POLICY_RUN_KINDS)
      .optional()
      .describe('Kind of the run (default: execute_skill with skills, otherwise execute)'),
    door: name
      .optional()
      .describe('Entry point: cli, http, mcp or library (default: that of the call)'),
    caller: name.optional().describe('Name of the token or user (default: the caller)'),
    skills: texts.optional().describe('Skills that are executed or mounted, or name@version'),
    language: name.optional().describe('Language of the program or code'),
    executable: name.optional().describe('Program to start instead of the default of the language'),
    repository: name.optional().describe('Name of a registered repository'),
    cwd: name.optional().describe('Folder within the repository'),
    timeout_ms: z.int().min(1).optional().describe('Requested timeout'),
    network: texts
      .optional()
      .describe('Destinations that the run would get (default: those of the run)'),
    environment: texts.optional().describe('Names of environment variables to pass through'),
  }),
  result: z.object({
    allowed: z.boolean(),
    needs_approval: z.boolean(),
    code: z.string().nullable().describe('Code of the first denial'),
    layer: z.enum(LAYERS).nullable().describe('Layer of the first denial'),
    request: plainRecord.describe('The request with all facts that the layers use'),
    layers: toReadonlySchema(z.array(layer)).describe('All layers in their order'),
    rules: toReadonlySchema(z.array(z.string())).describe('Names of the matching rules'),
    approval: toReadonlySchema(z.array(z.string())).describe('Rules that require approval'),
    limits: z.object({ timeout_ms: z.int(), output_bytes: z.int() }),
    require: z.object({ aslr: z.boolean() }),
    audit_hash: z.string(),
  }),
})

export type CheckPolicyParams = MethodParams<typeof checkPolicyMethod>
export type CheckPolicyResult = MethodResult<typeof checkPolicyMethod>
