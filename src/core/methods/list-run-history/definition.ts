import { z } from 'zod'
import { RUN_KINDS, RUN_STATUSES } from '../../runs/history/run-record.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord } from '../json-object.ts'

/** Runs of one page. */
export const HISTORY_LIMITS = { usual: 50, most: 500 } as const

const runRow = z.object({
  run_id: z.string(),
  kind: z.enum(RUN_KINDS),
  status: z.enum(RUN_STATUSES),
  target: z.string().describe('The skill, or a description of what ran'),
  entry_point: z.string().describe('cli, http, mcp or library'),
  caller: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  duration_ms: z.int().nullable(),
  live: z.boolean().describe('True while it runs'),
  args: z.string().describe('Beginning of the arguments as JSON'),
  args_cut: z.string().nullable().describe('What args lacks; null if it is complete'),
  summary: z.string().nullable().describe('Beginning of the summary'),
  error_type: z.string().nullable(),
})

export const listRunHistoryMethod = defineMethod({
  name: 'list_run_history',
  description:
    'List the records of all runs of this caller, from every entry point, newest first. With the scope "operate": of all callers.',
  params: z.strictObject({
    status: z.enum(RUN_STATUSES).optional().describe('Only runs with this status'),
    skill: z.string().optional().describe('Only runs of this skill, or name@version'),
    kind: z.enum(RUN_KINDS).optional().describe('Only runs of this kind'),
    entry_point: z.string().optional().describe('Only runs from it: cli, http, mcp or library'),
    caller: z.string().optional().describe('Only runs of this caller'),
    since: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Only runs that started at this time or later'),
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Only runs that started before this time'),
    text: z
      .string()
      .max(1000)
      .optional()
      .describe('Only runs with this text in the id, the target or the arguments, ignoring case'),
    records: z.boolean().optional().describe('Return the whole records besides the rows'),
    limit: z
      .int()
      .min(1)
      .max(HISTORY_LIMITS.most)
      .default(HISTORY_LIMITS.usual)
      .describe('Maximum number of runs to return'),
    cursor: z.string().optional().describe('next_cursor of the previous page'),
  }),
  result: z.object({
    runs: z.array(runRow),
    records: z.array(plainRecord).exactOptional(),
    next_cursor: z.string().nullable(),
    read_until: z
      .string()
      .exactOptional()
      .describe(
        'Present if the page ended because many records were read: the start of the last one',
      ),
  }),
})

export type ListRunHistoryParams = MethodParams<typeof listRunHistoryMethod>
export type ListRunHistoryResult = MethodResult<typeof listRunHistoryMethod>
export type RunRow = ListRunHistoryResult['runs'][number]
