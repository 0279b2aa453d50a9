import type { Limits, SandboxExit } from '../../sandbox/backend.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import type { SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import type { RunError } from '../result.ts'

/** The final message of the harness. Its fields are untrusted. */
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
  /** The value of a cell as text. */
  value?: unknown
  /** The return value as JSON. */
  output?: unknown
  output_blob?: unknown
}

/** Facts about a function when all processes are dead. */
export interface FunctionEnd {
  exit: SandboxExit
  harnessResult: HarnessResult | undefined
  /** Why reading from the channel stopped. */
  channelError: RunError | undefined
  limits: Limits
  language: SkillLanguageName
  isolation: Isolation
}
