import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord } from '../json-object.ts'
import { RUN_STATUSES } from '../../runs/history/run-record.ts'

export const getRunRecordMethod = defineMethod({
  name: 'get_run_record',
  description:
    'Get the whole record of a run: request, policy, isolation, limits, phases, use, network attempts, end. With the scope "operate": of any caller.',
  params: z.strictObject({
    run_id: z.string().describe('Id of a run of this caller'),
  }),
  result: z.object({
    run_id: z.string(),
    status: z.enum(RUN_STATUSES).describe('State of the run; its record is complete afterwards'),
    detached: z.boolean().describe('True if the run continues without its call'),
    own: z.boolean().describe('False for a run of another caller, which only that one can cancel'),
    record: plainRecord
      .nullable()
      .describe(
        'The record of the run, as "skills runs show --json" prints it; null before its start',
      ),
  }),
})

export type GetRunRecordParams = MethodParams<typeof getRunRecordMethod>
export type GetRunRecordResult = MethodResult<typeof getRunRecordMethod>
