import type { ZodType } from 'zod'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { MethodDefinition, ProfileName, Scope } from './define-method.ts'

/**
 * What a call does: it changes nothing, adds something, starts a run, or acts on a run that goes on.
 * Only what adds something can destroy nothing.
 */
export type Effect = 'read' | 'create' | 'run' | 'control'

/** How a run stands when the call that started it, or acted on it, is answered. */
export type CallOutcome =
  | 'completed'
  | 'failed'
  | 'running'
  | 'success'
  | 'failure'
  | 'timeout'
  | 'cancelled'
  | 'denied'

/** How a method is governed, and where its work is. */
export interface MethodRow<Params = never, Result = unknown> {
  /** What a caller's token must allow. */
  scope: Scope
  effect: Effect
  profiles?: readonly ProfileName[]
  /** Another method without which this one makes no sense as a tool. */
  requires?: string
  /** The parameter that names a skill, for logs and metrics. */
  skillParam?: string
  /** How the run stands, by the result. */
  outcome?(result: Result): CallOutcome
  load(): MethodHandler<Params, Result> | Promise<MethodHandler<Params, Result>>
}

export type MethodHandler<Params, Result> = (
  services: Services,
  params: Params,
  call: RunCall,
) => Promise<Result>

/** One operation as every entry point sees it: its definition and its row of the table. */
export interface Method
  extends Omit<MethodDefinition, 'params' | 'result'>, Omit<MethodRow, 'outcome'> {
  params: ZodType
  result: ZodType
  outcome?(result: unknown): CallOutcome
  /** The result where it is known already and cannot change; frozen, so that it is written once. */
  getCachedResult?(services: Services, params: never): unknown
}

/** Performs a method, its parameters checked. */
export async function callMethod(
  services: Services,
  method: Pick<Method, 'load'>,
  { params, call }: { params: unknown; call: RunCall },
): Promise<unknown> {
  const handler = await method.load()
  return await handler(services, params as never, call)
}
