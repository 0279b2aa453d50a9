import { z } from 'zod'
import type { RunResult } from '../runs/result.ts'

const error = z.looseObject({
  type: z
    .string()
    .describe(
      'The class of the exception, or one of Timeout, CpuLimit, MemoryLimit, ProcessLimit, DiskLimit, OutputLimit, NetworkLimit, EntrypointNotFound, SerializationError, ValidationError, SandboxError, Killed, Exited',
    ),
  message: z.string(),
  traceback: z.string().optional().describe('Location where the exception was raised'),
  hint: z.string().optional().describe('How to correct the error'),
  exit_code: z.int().optional(),
  signal: z.string().optional(),
  limit: z.record(z.string(), z.unknown()).optional().describe('The limit that was hit'),
})

/** Fields for the operator of a run: applications show them, models do not need them. */
export const RUN_CALLER_RESULTS = ['isolation'] as const

/** Parameter of every method that can start a detached run. */
export const DETACH_DESCRIPTION =
  'Return at once with the id of the run, which continues without this call: poll it with runs'

/** Result of `execute_skill` and `run_code`. */
export const runResult = z.looseObject({
  status: z
    .enum(['completed', 'failed', 'running'])
    .describe('running: a detached run was started; poll it with runs'),
  run_id: z.string().describe('Unique, stable identifier of this run'),
  summary: z.string().describe('The outcome, in one sentence'),
  output: z
    .unknown()
    .optional()
    .describe(
      'The returned value; for a cell of a kernel, the value of its last expression, if that is JSON. Over 4 KB it is { truncated: true, blob_id, size_bytes }: the blob has the whole value',
    ),
  output_blobs: z.array(z.string()).describe('IDs of the blobs that the run created'),
  logs_preview: z.string().describe('Output and log of the run; above 2 KB the middle is omitted'),
  error: error.optional().describe('Present exactly when status is "failed"'),
  isolation: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The isolation that was applied; null if nothing was started'),
  duration_ms: z.int(),
  network_bytes: z
    .int()
    .optional()
    .describe('Bytes sent and received; present if the run had a network'),
  kernel: z
    .looseObject({
      id: z.string(),
      cell: z.int().describe('Number of the cell, from 1'),
      value: z
        .string()
        .optional()
        .describe('The value of the last expression as text, as a REPL shows it'),
      notice: z.string().optional().describe('Says that the variables were lost, and why'),
    })
    .optional()
    .describe('Present for a cell of a kernel'),
}) as unknown as z.ZodType<RunResult>
