export type RunState = 'starting' | 'running' | 'collecting' | 'completed' | 'failed' | 'cancelled'

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Steps that a run has completed, as its code reports them. */
export interface ProgressReport {
  done: number
  total: number
  message?: string
}

/** A piece of the logs, as it arrives. */
export interface LogPiece {
  /** `log` is output of `runtime.log`; `runtime` is a notice of the runtime itself. */
  stream: 'stdout' | 'stderr' | 'log' | 'runtime'
  level?: LogLevel
  text: string
}

/** A version of an artifact, as results and events report it. */
export interface SavedArtifact {
  name: string
  version: number
  /** Reference by which tools and the application read it. */
  ref: string
  mime_type: string
  size_bytes: number
}
