import { z } from 'zod'
import { defineMethod, type MethodParams } from '../define-method.ts'
import { RUN_ID_PARAM, runView } from '../run-view.ts'

export const cancelRunMethod = defineMethod({
  name: 'cancel_run',
  description:
    'End a run that was started with detach, or whose call this server performs: its processes get SIGTERM, and SIGKILL after a grace period. A run that has ended stays as it is.',
  params: z.strictObject(RUN_ID_PARAM),
  result: runView,
})

export type CancelRunParams = MethodParams<typeof cancelRunMethod>
