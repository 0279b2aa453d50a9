import type { RunKind, RunStatus } from '../../core/runs/history/run-record.ts'

/** The page imports no values of the server, only types: these lists are checked against them. */
export const RUN_STATUS_NAMES = [
  'running',
  'completed',
  'failed',
  'cancelled',
  'refused',
  'not_started',
  'interrupted',
] as const satisfies readonly RunStatus[]

export const RUN_KIND_NAMES = [
  'execute_skill',
  'run_code',
  'execute',
  'workspace',
] as const satisfies readonly RunKind[]

export const RUN_ENTRY_POINTS = ['cli', 'http', 'mcp', 'library'] as const
