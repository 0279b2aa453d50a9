import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { KERNEL_PARAMS } from '../kernel-params.ts'

export const kernelRestartMethod = defineMethod({
  name: 'kernel.restart',
  description:
    'End the interpreter of a kernel with all of its processes. Its variables and files are lost; a running cell is cancelled. The next run_code with this id starts another interpreter with the same language, skills and blobs.',
  params: z.strictObject(KERNEL_PARAMS),
  result: z.looseObject({ kernel: z.string(), language: z.string() }),
})

export type KernelRestartParams = MethodParams<typeof kernelRestartMethod>
export type KernelRestartResult = MethodResult<typeof kernelRestartMethod>
