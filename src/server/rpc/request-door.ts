import type { RunCall } from '../../core/runs/run-call.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { DISCOVER, type RpcCall, type RpcDoor } from '../../rpc/rpc.ts'
import { scopeOf, type Caller } from '../auth/caller.ts'
import { recordCall, recordRefused } from '../telemetry/record-call.ts'
import { followRun } from '../runs/run-call.ts'
import type { CallFacts, RequestFacts } from './call-facts.ts'
import type { ServerContext } from '../server-context.ts'

/** What the server does around each call of a request. */
export function requestDoor(services: ServerContext, request: RequestFacts): RpcDoor {
  const { caller } = request
  const facts = new WeakMap<RpcCall, CallFacts>()
  // To read a request is the first call's; those of a batch behind it begin when they are turned to.
  let readFrom: number | undefined = performance.now()
  const common: RunCall = {
    env: services.env,
    cwd: services.cwd,
    allowNetwork: services.allowNetwork,
    gate: services.gate,
    door: request.door ?? 'http',
    caller: caller.isLocalUser ? undefined : caller.name,
  }
  return {
    async around(call, work) {
      const own = begin(call, request, readFrom)
      readFrom = undefined
      facts.set(call, own)
      try {
        letIn(services, caller, call)
        const result = await work()
        recordCall(services, { ...own, status: call.method?.outcome?.(result) })
        return result
      } catch (thrown) {
        recordCall(services, { ...own, error: toSkillsError(thrown) })
        throw thrown
      }
    },
    refused: (error) => recordRefused(services, caller.name, error),
    async admit(call, work) {
      if (call.method?.effect !== 'run') return await work(common)
      return await followRun(services, { call, request, common, facts: facts.get(call) }, work)
    },
  }
}

/** `around` for a call whose answer is kept: admits and records it. Throws where it is refused. */
export function admitKept(services: ServerContext, request: RequestFacts, call: RpcCall): void {
  const own = begin(call, request)
  try {
    letIn(services, request.caller, call)
  } catch (thrown) {
    recordCall(services, { ...own, error: toSkillsError(thrown) })
    throw thrown
  }
  recordCall(services, own)
}

function begin(
  call: RpcCall,
  request: RequestFacts,
  startedAt: number = performance.now(),
): CallFacts {
  return { call, request, startedAt, wallAt: Date.now() - (performance.now() - startedAt) }
}

/** Throws for a caller who calls too fast or may not call this. */
function letIn({ rates }: ServerContext, caller: Caller, call: RpcCall): void {
  rates.count(caller.account)
  checkScope(caller, call)
}

function checkScope(caller: Caller, { name, method }: RpcCall): void {
  const scope = scopeOf(name)
  // What is said of the methods is no secret of theirs, but what may be looked at is to be asked for.
  const isKnown = method !== undefined || name === DISCOVER
  if (!isKnown || caller.scopes.has(scope)) return
  throw new SkillsError('auth/scope', `This token may not call '${name}': it lacks "${scope}"`, {
    data: { scope },
  })
}
