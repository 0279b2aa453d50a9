import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { DEFAULT_TIMEOUT_MS, MAX_STEPS, TIMEOUT_BOUNDS } from './bounds.ts'
import { jsonObject, plainRecord, toReadonlySchema } from '../json-object.ts'

/** References in the parameters are searched in one turn of the event loop. */
const MAX_NAMES = 100

function hasFewNames(params: PlainObject): boolean {
  return Object.keys(params).length <= MAX_NAMES
}

const step = z.strictObject({
  method: z.enum(['runtime.execute', 'runtime.queryOutput']).describe('Method that the step calls'),
  params: jsonObject
    .refine(hasFewNames, `expected at most ${MAX_NAMES} parameters`)
    .describe(
      'Its parameters. A text such as "$0.artifactHandle" is replaced by this field of the result of an earlier step; the first step is 0. Write "$$0.x" for the text "$0.x"',
    ),
})

export const runtimeWorkflowMethod = defineMethod({
  name: 'runtime.workflow',
  aliases: ['sdl.workflow'],
  description: `Run up to ${MAX_STEPS} steps of runtime.execute and runtime.queryOutput in one call, one after the other. A step can use fields of the results of earlier steps, such as their artifactHandle.`,
  params: z.strictObject({
    steps: toReadonlySchema(z.array(step).min(1).max(MAX_STEPS)).describe('Steps, in order'),
    onError: z
      .enum(['stop', 'continue', 'continueAll'])
      .default('stop')
      .describe(
        'After a failed step: stop skips the others; continue skips those that use it or a skipped one; continueAll skips only those whose fields are missing',
      ),
    timeoutMs: z
      .int()
      .min(TIMEOUT_BOUNDS[0])
      .max(TIMEOUT_BOUNDS[1])
      .default(DEFAULT_TIMEOUT_MS)
      .describe('Timeout of all steps together in milliseconds'),
  }),
  result: z.looseObject({
    status: z
      .enum(['success', 'failure', 'timeout', 'cancelled'])
      .describe('success: every step succeeded'),
    steps: toReadonlySchema(
      z.array(
        z.looseObject({
          method: z.string(),
          status: z.enum(['success', 'failure', 'skipped']),
          result: plainRecord.optional().describe('The result of the method'),
          error: z.string().optional().describe('Reason for which the step failed or was skipped'),
          code: z.string().optional().describe('Code of the error, if the method refused the step'),
        }),
      ),
    ),
    durationMs: z.int(),
  }),
})

export type WorkflowResult = MethodResult<typeof runtimeWorkflowMethod>
export type WorkflowParams = MethodParams<typeof runtimeWorkflowMethod>
