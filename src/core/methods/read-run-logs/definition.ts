import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { RUN_ID_PARAM } from '../run-view.ts'
import { RUN_STATUSES } from '../../runs/history/run-record.ts'
import { LOG_PART_BYTES } from './log-part-bytes.ts'

export const readRunLogsMethod = defineMethod({
  name: 'read_run_logs',
  description:
    'Read the logs of a run from a byte offset, also while it runs. Secrets are masked. Offsets stay valid.',
  params: z.strictObject({
    ...RUN_ID_PARAM,
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe('First byte to return: 0, or next_offset of the previous answer'),
    max_bytes: z
      .int()
      .min(LOG_PART_BYTES.least)
      .max(LOG_PART_BYTES.most)
      .default(LOG_PART_BYTES.usual)
      .describe('Maximum bytes to return'),
  }),
  result: z.object({
    run_id: z.string(),
    offset: z.int(),
    next_offset: z.int().describe('Offset of the next answer'),
    more: z.boolean().describe('True if there are more bytes now, or if the run may print more'),
    logs: z.string(),
    encoding: z.literal('base64').exactOptional().describe('Present if the bytes are not text'),
    status: z.enum(RUN_STATUSES).describe('State of the run before its logs were read'),
  }),
})

export type ReadRunLogsParams = MethodParams<typeof readRunLogsMethod>
export type ReadRunLogsResult = MethodResult<typeof readRunLogsMethod>
