import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { MAX_WAIT_MS } from '../../runs/detached/wait-for-run.ts'
import { RUN_ID_PARAM, runView } from '../run-view.ts'

export const getRunMethod = defineMethod({
  name: 'get_run',
  description:
    'Get the state of a run, and its result once it has ended. A run that was started with detach continues without its call.',
  params: z.strictObject({
    ...RUN_ID_PARAM,
    wait_ms: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe('Wait up to this time for the end of the run (default 0, at most 60000)'),
  }),
  result: runView,
})

export type GetRunParams = MethodParams<typeof getRunMethod>
export type GetRunResult = MethodResult<typeof getRunMethod>
