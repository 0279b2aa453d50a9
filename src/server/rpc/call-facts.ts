import type { SkillsError } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpc.ts'
import type { Caller } from '../auth/caller.ts'
import type { RunEventListener } from '../runs/live-run.ts'
import type { RunPhase } from '../../core/runs/run-phases.ts'

/** Properties shared by the calls of one request. */
export interface RequestFacts {
  caller: Caller
  /**
   * Aborted when the client disconnects. A function, because few methods need the signal and
   * creating it is costly.
   */
  signal(): AbortSignal
  traceparent: string | undefined
  /** The transport of the request. */
  transport?: 'http' | 'mcp'
  /** Receives the events of the runs of this request. */
  onEvent?: RunEventListener | undefined
}

/** Properties of a finished call, for logs, metrics and spans. */
export interface CallFacts {
  call: RpcCall
  request: RequestFacts
  /** `startedAt` is monotonic (`performance.now()`), `wallAt` is wall-clock time. */
  startedAt: number
  wallAt: number
  runId?: string
  /** Status of the run, if the call was one. */
  status?: string | undefined
  phases?: readonly RunPhase[]
  error?: SkillsError
}

/** Returns the skill that a call names, in the parameter that its method declares. */
export function readSkillName({ method, params }: RpcCall): string | undefined {
  if (method?.skillParam === undefined) return undefined
  const name = (params as Readonly<Record<string, unknown>> | null | undefined)?.[method.skillParam]
  return typeof name === 'string' ? name.slice(0, 128) : undefined
}
