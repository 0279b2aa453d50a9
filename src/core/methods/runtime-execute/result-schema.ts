import { z } from 'zod'
import { EXECUTE_STATUSES, type ExecuteResult } from '../../programs/execute-result.ts'

/** Result of `runtime.execute`. */
export const executeResult = z.looseObject({
  status: z.enum(EXECUTE_STATUSES),
  exitCode: z.int().nullable().describe('Null where a signal ended it, or it never began'),
  signal: z.string().nullable(),
  durationMs: z.int().describe('Of the run itself; compileMs counts apart'),
  artifactHandle: z
    .string()
    .nullable()
    .optional()
    .describe('What runtime.queryOutput takes; null where nothing is kept'),
  outputLines: z.int().optional(),
  outputBytes: z.int().optional(),
  stdoutSummary: z.string().optional(),
  stderrSummary: z.string().optional(),
  excerpts: z
    .array(
      z.looseObject({
        lineStart: z.int(),
        lineEnd: z.int(),
        content: z.string(),
        source: z.enum(['stdout', 'stderr']),
      }),
    )
    .optional(),
  digest: z.record(z.string(), z.unknown()).optional(),
  truncation: z
    .looseObject({
      stdoutTruncated: z.boolean(),
      stderrTruncated: z.boolean(),
      totalStdoutBytes: z.int(),
      totalStderrBytes: z.int(),
    })
    .optional()
    .describe('Present whenever something is missing'),
  policyDecision: z
    .looseObject({
      auditHash: z.string(),
      deniedReasons: z.array(z.string()).optional(),
      deniedCode: z.string().optional(),
    })
    .optional(),
  phase: z.enum(['compile']).optional().describe('Where it failed, if not in the run itself'),
  quotingWarnings: z.array(z.string()).optional(),
  runtimeHints: z.array(z.string()).optional().describe('Why it may have failed here'),
  error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
}) as unknown as z.ZodType<ExecuteResult>
