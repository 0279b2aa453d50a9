import { z } from 'zod'
import { toReadonlySchema } from '../json-object.ts'
import { defineMethod, type MethodResult } from '../define-method.ts'

export const kernelListMethod = defineMethod({
  name: 'kernel.list',
  description:
    'List the living kernels of the caller: interpreters that run_code started with the parameter kernel, and that keep their variables.',
  params: z.strictObject({}),
  result: z.looseObject({
    kernels: toReadonlySchema(
      z.array(
        z.looseObject({
          kernel: z.string().describe('Id of the kernel'),
          language: z.string(),
          state: z.enum(['starting', 'idle', 'busy']),
          cells: z.int().describe('Cells that it has started'),
          started_at: z.string(),
          idle_ms: z.int().describe('Time since its last cell'),
          skills: toReadonlySchema(z.array(z.string())).describe('Skills that are mounted in it'),
        }),
      ),
    ),
  }),
})

export type KernelListResult = MethodResult<typeof kernelListMethod>
