import { z } from 'zod'
import { outputFile } from './command-params.ts'

/** Fields of the result that no parameter takes, and that a model pays for. */
export const WORKSPACE_VIEW_CALLER_RESULTS = ['offset', 'next_offset', 'total_bytes'] as const

/** Result of a command in a workspace, or its output so far. */
export const workspaceView = z.object({
  status: z.enum(['running', 'exited']),
  output: z.string().optional(),
  exit_code: z.int().optional(),
  session_id: z.string().optional(),
  offset: z.int(),
  next_offset: z.int(),
  truncated: z.literal(true).optional(),
  total_bytes: z.int().optional(),
  output_files: z.array(outputFile).optional(),
  warnings: z.array(z.string()).optional(),
  run_id: z.string().optional(),
})
