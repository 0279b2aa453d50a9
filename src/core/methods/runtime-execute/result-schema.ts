import { z } from 'zod'
import { EXECUTE_STATUSES, type ExecuteResult } from '../../programs/execute-result.ts'

/** Result of `runtime.execute`. */
export const executeResult = z.looseObject({
  status: z.enum(EXECUTE_STATUSES),
  exitCode: z.int().nullable().describe('Null if a signal ended it, or if it did not start'),
  signal: z.string().nullable(),
  durationMs: z.int().describe('Duration of the run itself, without compileMs'),
  artifactHandle: z
    .string()
    .nullable()
    .optional()
    .describe('Handle for runtime.queryOutput; null if no output is stored'),
  nextAction: z
    .looseObject({ kind: z.string() })
    .optional()
    .describe(
      'The next request: to query the output, to allow more time, or to inspect the policy',
    ),
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
  redactions: z.int().optional().describe('Number of secrets and tokens masked in the output'),
  phase: z.enum(['compile']).optional().describe('Phase that failed, if it is not the run itself'),
  quotingWarnings: z.array(z.string()).optional(),
  notices: z
    .array(z.string())
    .optional()
    .describe('Programs that come first in PATH and were not used, with their own explanations'),
  runtimeHints: z
    .array(z.string())
    .optional()
    .describe('Causes of the failure that lie in the sandbox or the machine'),
  error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
}) as unknown as z.ZodType<ExecuteResult>
