import type { Plain, PlainObject } from '../manifest/manifest.ts'

/** What `execute_skill` and `run_code` answer, field for field as on the wire. */
export interface RunResult {
  status: 'completed' | 'failed'
  run_id: string
  /** Always present, at most 500 characters. */
  summary: string
  output?: Plain
  output_blobs: string[]
  /** At most 2,048 bytes of UTF-8: head and tail, a marker between. */
  logs_preview: string
  error?: { type: string; message: string; traceback?: string; hint?: string; limit?: PlainObject }
  /** What was really applied. */
  isolation: PlainObject
  duration_ms: number
}

/** Failure types of our own; any other `error.type` is the class name of the user's exception. */
export const FAILURE_TYPES = [
  'Timeout',
  'CpuLimit',
  'MemoryLimit',
  'ProcessLimit',
  'FileLimit',
  'DiskLimit',
  'OutputLimit',
  'EntrypointNotFound',
  'SerializationError',
  'ValidationError',
  'SandboxError',
  'Killed',
  'Exited',
  'Cancelled',
] as const
export type FailureType = (typeof FAILURE_TYPES)[number]
