import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { KERNEL_PARAMS } from '../kernel-params.ts'

export const kernelInterruptMethod = defineMethod({
  name: 'kernel.interrupt',
  description:
    'Interrupt the running cell of a kernel, as Ctrl-C does. The call of run_code that sent the cell returns an error (KeyboardInterrupt in Python, Interrupted in Node), and the variables are kept.',
  params: z.strictObject(KERNEL_PARAMS),
  result: z.looseObject({
    kernel: z.string(),
    interrupted: z.boolean().describe('False if no cell was running'),
  }),
})

export type KernelInterruptParams = MethodParams<typeof kernelInterruptMethod>
export type KernelInterruptResult = MethodResult<typeof kernelInterruptMethod>
