import { z } from 'zod'
import { DETACHED_KINDS } from '../runs/detached/detached-run.ts'
import { RUN_STATUSES } from '../runs/history/run-record.ts'
import { plainRecord } from './json-object.ts'

/** Fields of a detached run in every result. */
export const runSummary = z.object({
  run_id: z.string(),
  kind: z.enum([...DETACHED_KINDS, 'workspace']),
  status: z
    .enum(RUN_STATUSES)
    .describe(
      'running until it ends; interrupted: the process that performed it was killed, so it has no result',
    ),
  detached: z.boolean(),
  cancelling: z.literal(true).exactOptional().describe('Its end was requested'),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  duration_ms: z.int().nullable(),
})

/** State of a run, with its result once it has ended. */
export const runView = runSummary.extend({
  exit: z
    .object({
      code: z.int().nullable(),
      signal: z.int().nullable(),
      ended_because: z.string().nullable(),
    })
    .nullable()
    .describe('Exit of its process; null while it runs, and if nothing was started'),
  log_bytes: z
    .int()
    .nullable()
    .describe('Size of its logs; null while it runs. Read them with the action logs'),
  summary: z.string().nullable(),
  error: z.looseObject({ type: z.string(), message: z.string() }).nullable(),
  result: plainRecord
    .exactOptional()
    .describe('The result of the method that started it, once it has ended'),
})

export type RunSummary = z.output<typeof runSummary>
export type CallerRun = z.output<typeof runView>
