import type { HttpBindings } from '@hono/node-server'
import type { SkillsError } from '../../errors.ts'
import type { Caller } from '../auth/caller.ts'

/** What the routes find in their context. */
export interface AppEnv {
  /** Absent where the app is called without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    caller: Caller
    /** Why the request was refused. */
    refused?: SkillsError
  }
}
