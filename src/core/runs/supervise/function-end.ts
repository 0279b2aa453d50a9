import type { Limits, SandboxExit } from '../../sandbox/backend.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { RunError } from '../result.ts'

/** The harness's last word, not trusted in its form. */
export interface HarnessResult {
  error?: {
    type?: unknown
    message?: unknown
    traceback?: unknown
    hint?: unknown
    errno?: unknown
    exit_code?: unknown
  }
  summary?: unknown
  /** The return value as JSON. */
  output?: unknown
  output_blob?: unknown
}

/** What is known when all processes are dead. */
export interface FunctionEnd {
  exit: SandboxExit
  told: HarnessResult | undefined
  /** Why nothing more was read from the channel. */
  channelError: RunError | undefined
  limits: Limits
  isolation: Isolation
}
