import type { ZodType } from 'zod'
import { hideDeniedSkills } from './hide-denied-skills.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { MethodDefinition, ProfileName, Scope } from './define-method.ts'

/**
 * Effect of a call: changes nothing, adds something, changes a file, starts a run, or controls a
 * run. Only `create` can never destroy anything.
 */
export type Effect = 'read' | 'create' | 'change' | 'run' | 'control'

/** State of a run when the call that started or controlled it returns. */
export type CallOutcome =
  | 'completed'
  | 'failed'
  | 'running'
  | 'success'
  | 'failure'
  | 'timeout'
  | 'cancelled'
  | 'denied'

/** Authorization of a method, and its handler. */
export interface MethodRow<Params = never, Result = unknown> {
  /** Scope that the caller's token needs. */
  scope: Scope
  effect: Effect
  profiles?: readonly ProfileName[]
  /** Method without which this one is useless as a tool. */
  requires?: string
  /** Name of the parameter with the skill's name, for logs and metrics. */
  skillParam?: string
  /** Derives the state of the run from the result. */
  outcome?(result: Result): CallOutcome
  load(): MethodHandler<Params, Result> | Promise<MethodHandler<Params, Result>>
}

export type MethodHandler<Params, Result> = (
  services: Services,
  params: Params,
  call: RunCall,
) => Promise<Result>

/** A method as every entry point sees it: its definition and its row of the table. */
export interface Method
  extends Omit<MethodDefinition, 'params' | 'result'>, Omit<MethodRow, 'outcome'> {
  params: ZodType
  result: ZodType
  outcome?(result: unknown): CallOutcome
  /** Returns a cached result that cannot change; frozen, so that it is serialized only once. */
  getCachedResult?(services: Services, params: never): unknown
}

/** Performs a call with validated parameters: in this process, or on another machine. */
export type MethodPerformer = (
  services: Services,
  method: Pick<Method, 'name' | 'effect' | 'load'>,
  given: { params: unknown; call: RunCall },
) => Promise<unknown>

/** Calls the handler of a method with validated parameters. */
export async function callMethod(
  services: Services,
  method: Pick<Method, 'load' | 'effect'>,
  { params, call }: { params: unknown; call: RunCall },
): Promise<unknown> {
  const handler = await method.load()
  // A run of a denied skill is refused by the policy, which is audited.
  const own = method.effect === 'read' ? await hideDeniedSkills(services, call) : services
  return await handler(own, params as never, call)
}
