import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { KERNEL_PARAMS } from '../kernel-params.ts'

export const kernelEndMethod = defineMethod({
  name: 'kernel.end',
  description:
    'End a kernel with all of its processes, and forget its language, skills and blobs. Its variables and files are lost; a running cell is cancelled.',
  params: z.strictObject(KERNEL_PARAMS),
  result: z.looseObject({ kernel: z.string(), ended: z.boolean() }),
})

export type KernelEndParams = MethodParams<typeof kernelEndMethod>
export type KernelEndResult = MethodResult<typeof kernelEndMethod>
