import { z } from 'zod'

/** Parameters of methods that control one kernel. */
export const KERNEL_PARAMS = {
  kernel: z.string().describe('Id of the kernel, as it was given to run_code'),
}
