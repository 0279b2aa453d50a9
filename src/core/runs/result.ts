import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import type { Isolation } from '../sandbox/isolation.ts'

/** Result of `execute_skill`; the fields are those of the protocol. */
export interface RunResult {
  /** `running`: a detached run that was started. */
  status: 'completed' | 'failed' | 'running'
  run_id: string
  /** Always present, at most 500 characters. */
  summary: string
  /** The return value of the skill; present only if it completed. */
  output?: Plain
  output_blobs: string[]
  /** At most 2,048 bytes of UTF-8: head and tail with a marker in between. */
  logs_preview: string
  error?: RunError
  /** The isolation that was applied; null if nothing was started. */
  isolation: Isolation | null
  duration_ms: number
  /** Bytes sent and received; present if the run had a network. */
  network_bytes?: number
  /** Present for a cell of a kernel. */
  kernel?: KernelReport
}

/** The kernel of a cell. */
export interface KernelReport {
  id: string
  /** Number of the cell, from 1. */
  cell: number
  /** The value of the last expression as text, as a REPL shows it. */
  value?: string
  /** Loss of the variables. */
  notice?: string
}

/** Result of a run that has ended. */
export interface EndedRunResult extends RunResult {
  status: 'completed' | 'failed'
}

export interface RunError {
  /** The class of the skill's exception, or a failure type of the runtime. */
  type: FailureType | (string & {})
  message: string
  traceback?: string
  hint?: string
  /** Exit code of code that exited instead of returning. */
  exit_code?: number
  /** Present if a signal ended the code. */
  signal?: string
  /** The exceeded limit with its value. */
  limit?: PlainObject
}

/** Failures of the runtime. Any other type is the class name of the skill's exception. */
type FailureType =
  | 'Timeout'
  | 'CpuLimit'
  | 'MemoryLimit'
  | 'ProcessLimit'
  | 'DiskLimit'
  | 'OutputLimit'
  | 'NetworkLimit'
  | 'EntrypointNotFound'
  | 'SerializationError'
  | 'ValidationError'
  | 'SandboxError'
  | 'Killed'
  | 'Exited'
