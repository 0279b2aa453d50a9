import type { RunCall } from '../../core/runs/run-call.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { DISCOVER, type RpcCall, type RpcHooks } from '../../rpc/rpc.ts'
import { getPrincipal, resolveScope, type Caller } from '../auth/caller.ts'
import { recordCall, recordRefused } from '../telemetry/record-call.ts'
import { performRunCall } from '../runs/run-call.ts'
import type { CallFacts, RequestFacts } from './call-facts.ts'
import type { ServerContext } from '../server-context.ts'
import type { UsageQuotas } from '../quotas/usage-quotas.ts'

/** Creates the hooks around each call of a request. */
export function createCallHooks(context: ServerContext, request: RequestFacts): RpcHooks {
  const { caller } = request
  const facts = new WeakMap<RpcCall, CallFacts>()
  // The time to read the request counts for its first call; later calls of a batch start when they
  // execute.
  let readFrom: number | undefined = performance.now()
  const common: RunCall = {
    env: context.env,
    cwd: context.cwd,
    caller: {
      door: request.transport ?? 'http',
      name: caller.isLocalUser ? undefined : caller.name,
      principal: getPrincipal(caller),
      maxRuns: caller.limits?.runs,
      isOperator: caller.scopes.has('operate'),
      sharesRuntime: context.limits.hasSeveralCallers,
      traceparent: request.traceparent,
    },
    grants: { allowNetwork: context.allowNetwork },
    runQueue: context.runQueue,
    cancelAttached: async (id) => await context.runs.cancel(caller, id),
  }
  return {
    async around(call, work) {
      const callFacts = startCallFacts(call, request, readFrom)
      readFrom = undefined
      facts.set(call, callFacts)
      try {
        authorizeCall(context, caller, call)
        const result = await work()
        recordCall(context, { ...callFacts, status: call.method?.outcome?.(result) })
        return result
      } catch (thrown) {
        recordCall(context, { ...callFacts, error: toSkillsError(thrown) })
        throw thrown
      }
    },
    onRefused: (error) => recordRefused(context, caller.name, error),
    async admit(call, work) {
      if (call.method?.effect !== 'run') {
        const own = call.method?.effect === 'read' ? addLazySignal(common, request) : common
        const result = await countStored(context, caller, { call, work: () => work(own) })
        if (call.method?.name === 'create_skill') context.consoleEvents.reportSkills()
        return result
      }
      return await performRunCall(context, { call, request, common, facts: facts.get(call) }, work)
    },
  }
}

/** The signal of a request is created when a method reads it: most methods do not. */
function addLazySignal(call: RunCall, request: RequestFacts): RunCall {
  return {
    ...call,
    get signal() {
      return request.signal()
    },
  }
}

/**
 * Like `around`, for a call with a cached response: authorizes and records it. Throws if it is
 * refused.
 */
export function admitCachedCall(
  context: ServerContext,
  request: RequestFacts,
  call: RpcCall,
): void {
  const callFacts = startCallFacts(call, request)
  try {
    authorizeCall(context, request.caller, call)
  } catch (thrown) {
    recordCall(context, { ...callFacts, error: toSkillsError(thrown) })
    throw thrown
  }
  recordCall(context, callFacts)
}

function startCallFacts(
  call: RpcCall,
  request: RequestFacts,
  startedAt: number = performance.now(),
): CallFacts {
  return { call, request, startedAt, wallAt: Date.now() - (performance.now() - startedAt) }
}

/** Throws if the caller exceeds its rate or lacks the scope. */
function authorizeCall({ rateLimiter: rates }: ServerContext, caller: Caller, call: RpcCall): void {
  rates.count(caller)
  requireMethodScope(caller, call)
}

function requireMethodScope(caller: Caller, { name, method }: RpcCall): void {
  const scope = resolveScope(name)
  // Unknown names pass: their error may suggest names of methods, which are not secret.
  const isKnown = method !== undefined || name === DISCOVER
  if (!isKnown || caller.scopes.has(scope)) return
  throw new SkillsError('auth/scope', `This token may not call '${name}': it lacks "${scope}"`, {
    data: { scope },
  })
}

/** Performs a call that may store something, and counts that for the caller. */
async function countStored(
  { quotas }: { quotas: UsageQuotas },
  caller: Caller,
  { call, work }: { call: RpcCall; work: () => Promise<unknown> },
): Promise<unknown> {
  const name = call.method?.name
  if (name === 'create_skill') {
    quotas.require(caller, 'skills', 1)
    const result = await work()
    quotas.charge(caller, 'skills', 1)
    return result
  }
  if (name !== 'create_blob') return await work()
  // The size is known afterwards; the size of a request is limited.
  quotas.require(caller, 'blobBytes', 0)
  const result = await work()
  quotas.charge(caller, 'blobBytes', (result as { size_bytes: number }).size_bytes)
  return result
}
