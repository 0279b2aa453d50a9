import { z } from 'zod'
import { toReadonlySchema } from '../json-object.ts'
import { SESSION_PARAMS } from '../session-params.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'

export const KERNEL_ACTIONS = ['list', 'interrupt', 'restart', 'end'] as const

export const kernelMethod = defineMethod({
  name: 'kernel',
  description: 'Control kernels: interpreters that keep variables of run_code.',
  callerParams: ['session'],
  params: z.strictObject({
    action: z
      .enum(KERNEL_ACTIONS)
      .describe('interrupt keeps variables; restart loses them; end forgets all'),
    kernel: z.string().optional().describe('Id of run_code; not for list'),
    session: SESSION_PARAMS.session.optional(),
  }),
  result: z.looseObject({
    kernels: toReadonlySchema(
      z.array(
        z.looseObject({
          kernel: z.string(),
          language: z.string(),
          state: z.enum(['starting', 'idle', 'busy']),
          cells: z.int().describe('Cells that it has started'),
          started_at: z.string(),
          idle_ms: z.int().describe('Time since its last cell'),
          skills: toReadonlySchema(z.array(z.string())).describe('Skills that are mounted in it'),
        }),
      ),
    ).exactOptional(),
    kernel: z.string().exactOptional(),
    language: z.string().exactOptional(),
    interrupted: z.boolean().exactOptional().describe('False if no cell was running'),
    ended: z.boolean().exactOptional(),
  }),
})

export type KernelParams = MethodParams<typeof kernelMethod>
export type KernelResult = MethodResult<typeof kernelMethod>
