import type { SkillsError } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpc.ts'
import type { Caller } from '../auth/caller.ts'
import type { RunEventListener } from '../runs/live-runs.ts'
import type { RunPhase } from '../runs/run-phases.ts'

/** What the calls of one request have in common. */
export interface RequestFacts {
  caller: Caller
  /** Aborted when the client went away; asked for by runs only, for it is not free. */
  signal(): AbortSignal
  traceparent: string | undefined
  /** The way by which it came. */
  transport?: 'http' | 'mcp'
  /** Told of everything that happens in a run of this request. */
  onEvent?: RunEventListener | undefined
}

/** What is known of a call when it is over. */
export interface CallFacts {
  call: RpcCall
  request: RequestFacts
  /** By the clock that never jumps, and by the one on the wall. */
  startedAt: number
  wallAt: number
  runId?: string
  /** Of a run. */
  status?: string | undefined
  phases?: readonly RunPhase[]
  error?: SkillsError
}

/** The skill that a call names, by the table of methods. */
export function readSkillName({ method, params }: RpcCall): string | undefined {
  if (method?.skillParam === undefined) return undefined
  const name = (params as Readonly<Record<string, unknown>> | null | undefined)?.[method.skillParam]
  return typeof name === 'string' ? name.slice(0, 128) : undefined
}
