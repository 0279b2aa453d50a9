import type { Method } from '../core/methods/method.ts'
import type { Runtime } from '../core/runtime.ts'
import type { SkillsError } from '../errors.ts'
import type { RpcErrorObject } from './error-object.ts'

/** An event of a run, as a transport reports it. */
export interface ToolCallEvent {
  name: 'state' | 'log' | 'progress' | 'blob' | 'artifact' | 'network' | 'end'
  data: unknown
}

interface ToolCallOptions {
  /** Aborted when the caller cancels the call, which cancels its run. */
  signal: AbortSignal
  /** The caller's W3C trace context, not validated. */
  traceparent: string | undefined
  onEvent: (event: ToolCallEvent) => void
}

/**
 * A caller of tools with its permissions. Hides how the transport authorizes, limits and records
 * each call.
 */
export interface ToolCaller {
  readonly name: string
  /** True for the local operator, who may list every caller's runs. */
  readonly isOwner: boolean
  readonly runtime: Runtime
  /** Validates the parameters. Throws errors that `describe` converts. */
  call(method: Method, params: unknown, options: ToolCallOptions): Promise<unknown>
  /** Converts an error for this caller. */
  describe(error: SkillsError, method?: Method): RpcErrorObject
}
