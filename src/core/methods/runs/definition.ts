import { z } from 'zod'
import { MAX_WAIT_MS } from '../../runs/detached/wait-for-run.ts'
import { RUN_STATUSES } from '../../runs/history/run-record.ts'
import { defineMethod, type MethodParams, type Schema } from '../define-method.ts'
import { runSummary, runView } from '../run-view.ts'
import { LOG_PART_BYTES } from './log-part-bytes.ts'

/** Runs of one page. */
export const LIST_LIMITS = { usual: 50, most: 200 } as const

const list = z.object({ runs: z.array(runSummary), next_cursor: z.string().nullable() })

const logs = z.object({
  run_id: z.string(),
  offset: z.int(),
  next_offset: z.int().describe('offset of the next call'),
  more: z.boolean().describe('True if there are more bytes, or the run may print more'),
  logs: z.string(),
  encoding: z.literal('base64').exactOptional().describe('Present if the bytes are not text'),
  status: z.enum(RUN_STATUSES),
})

/** Hides the type of zod, which the declarations of the client must not import. */
function hideZod<Value extends z.ZodType>(schema: Value): Schema<z.output<Value>> {
  return schema as never
}

const RESULTS = {
  list: hideZod(list),
  get: hideZod(runView),
  logs: hideZod(logs),
  cancel: hideZod(runView),
}

/** Result of each action. */
export type RunsResults = {
  [Action in keyof typeof RESULTS]: ReturnType<(typeof RESULTS)[Action]['parse']>
}
export type ReadRunLogsResult = RunsResults['logs']

const RESULT = z.looseObject({
  ...runView.partial().shape,
  ...logs.partial().shape,
  ...list.partial().shape,
})

export const runsMethod = defineMethod({
  name: 'runs',
  description:
    'List your detached runs, get the state and result of a run, read its logs, or cancel it.',
  params: z.strictObject({
    action: z.enum(['list', 'get', 'logs', 'cancel']),
    run_id: z.string().optional().describe('For all actions but list'),
    wait_ms: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe('get: wait this long for the end of the run'),
    offset: z.int().min(0).optional().describe('logs: first byte; next_offset of the last answer'),
    max_bytes: z
      .int()
      .min(LOG_PART_BYTES.least)
      .max(LOG_PART_BYTES.most)
      .optional()
      .describe(`logs: maximum bytes (default ${LOG_PART_BYTES.usual})`),
    status: z.enum(RUN_STATUSES).optional().describe('list: only runs with this status'),
    limit: z
      .int()
      .min(1)
      .max(LIST_LIMITS.most)
      .optional()
      .describe(`list: maximum number (default ${LIST_LIMITS.usual})`),
    cursor: z.string().optional().describe('list: next_cursor of the last answer'),
  }),
  result: RESULT as unknown as z.ZodType<RunsResults[keyof RunsResults]>,
})

export type RunsParams = MethodParams<typeof runsMethod>
type ParamsOf<Name extends keyof RunsParams> = Pick<RunsParams, Name> & { run_id: string }
export type GetRunParams = ParamsOf<'wait_ms'>
export type ReadRunLogsParams = ParamsOf<'offset' | 'max_bytes'>
export type CancelRunParams = { run_id: string }
export type ListRunsParams = Pick<RunsParams, 'status' | 'limit' | 'cursor'>
