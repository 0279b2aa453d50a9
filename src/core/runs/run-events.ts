export type RunState = 'starting' | 'running' | 'collecting' | 'completed' | 'failed' | 'cancelled'

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A piece of what a run said, as it came. */
export interface LogPiece {
  /** `log` is what came by `runtime.log`; `runtime` what the runtime itself has to say. */
  stream: 'stdout' | 'stderr' | 'log' | 'runtime'
  level?: LogLevel
  text: string
}
