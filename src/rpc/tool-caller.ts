import type { Method } from '../core/methods/method.ts'
import type { Runtime } from '../core/runtime.ts'
import type { SkillsError } from '../errors.ts'
import type { RpcErrorObject } from './error-object.ts'

/** Something that happened in a run, as a door tells it. */
export interface ToolCallEvent {
  name: 'state' | 'log' | 'blob' | 'network' | 'end'
  data: unknown
}

interface ToolCallOptions {
  /** Aborted when the caller gave up: it ends a run. */
  signal: AbortSignal
  /** The W3C trace context of the caller, as it came. */
  traceparent: string | undefined
  onEvent: (event: ToolCallEvent) => void
}

/**
 * One who calls methods as tools, and what a door lets them do. It hides how the door checks, counts
 * and writes down each call.
 */
export interface ToolCaller {
  readonly name: string
  /** True for who may see the runs of everybody: the one in front of this machine. */
  readonly isOwner: boolean
  readonly runtime: Runtime
  /** Parameters are checked here. Throws what `describe` explains. */
  call(method: Method, params: unknown, options: ToolCallOptions): Promise<unknown>
  /** What this caller may see of an error. */
  describe(error: SkillsError, method?: Method): RpcErrorObject
}
