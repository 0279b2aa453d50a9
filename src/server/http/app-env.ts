import type { HttpBindings } from '@hono/node-server'
import type { SkillsError } from '../../errors.ts'
import type { Caller } from '../auth/caller.ts'

/** Types of the Hono context. */
export interface AppEnv {
  /** Absent if the app is called without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    caller: Caller
    /** Error with which the request was rejected. */
    refused?: SkillsError
  }
}
