import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import type { Isolation } from '../sandbox/isolation.ts'

/** What `execute_skill` answers, field for field as on the wire. */
export interface RunResult {
  status: 'completed' | 'failed'
  run_id: string
  /** Always present, at most 500 characters. */
  summary: string
  /** What the skill returned; only where it completed. */
  output?: Plain
  output_blobs: string[]
  /** At most 2,048 bytes of UTF-8: head and tail, a marker between. */
  logs_preview: string
  error?: RunError
  /** What was really applied; null where nothing was started. */
  isolation: Isolation | null
  duration_ms: number
}

export interface RunError {
  /** The class of the skill's exception, or one of ours. */
  type: FailureType | (string & {})
  message: string
  traceback?: string
  hint?: string
  /** Where the code ended itself. */
  exit_code?: number
  /** Where the code was ended by a signal. */
  signal?: string
  /** The limit that was hit, with its value. */
  limit?: PlainObject
}

/** Failures of our own; any other type is the class name of the skill's exception. */
type FailureType =
  | 'Timeout'
  | 'CpuLimit'
  | 'MemoryLimit'
  | 'ProcessLimit'
  | 'DiskLimit'
  | 'OutputLimit'
  | 'EntrypointNotFound'
  | 'SerializationError'
  | 'ValidationError'
  | 'SandboxError'
  | 'Killed'
  | 'Exited'
