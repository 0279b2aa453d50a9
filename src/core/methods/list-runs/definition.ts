import { z } from 'zod'
import { RUN_STATUSES } from '../../runs/history/run-record.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { runSummary } from '../run-view.ts'

/** Runs of one page. */
export const LIST_LIMITS = { usual: 50, most: 200 } as const

export const listRunsMethod = defineMethod({
  name: 'list_runs',
  description: 'List the runs that this caller started with detach, newest first.',
  params: z.strictObject({
    status: z.enum(RUN_STATUSES).optional().describe('List only runs with this status'),
    limit: z
      .int()
      .min(1)
      .max(LIST_LIMITS.most)
      .default(LIST_LIMITS.usual)
      .describe('Maximum number of runs to return'),
    cursor: z.string().optional().describe('next_cursor of the previous page'),
  }),
  result: z.object({ runs: z.array(runSummary), next_cursor: z.string().nullable() }),
})

export type ListRunsParams = MethodParams<typeof listRunsMethod>
export type ListRunsResult = MethodResult<typeof listRunsMethod>
