import type { RunCall } from '../core/run/run-call.ts'
import { SkillsError } from '../errors.ts'
import type { RpcCall, RpcDoor } from '../rpc/rpc.ts'
import { scopeOf, type Caller } from './caller.ts'
import type { Services } from './services.ts'

/** What the calls of one request have in common. */
export interface RequestFacts {
  caller: Caller
  /** Aborted when the client went away. */
  signal: AbortSignal
}

/** What the server does around each call of a request. */
export function requestDoor(services: Services, request: RequestFacts): RpcDoor {
  const { caller, signal } = request
  const common: RunCall = {
    env: services.env,
    cwd: services.cwd,
    signal,
    allowNetwork: services.allowNetwork,
  }
  return {
    async around(call, work) {
      services.rates.count(caller.account)
      checkScope(caller, call)
      return await work()
    },
    async admit(call, work) {
      if (scopeOf(call.name) !== 'run') return await work(common)
      const leave = await services.gate.enter(signal)
      try {
        return await work(common)
      } finally {
        leave()
      }
    },
  }
}

function checkScope(caller: Caller, { name, method }: RpcCall): void {
  const scope = scopeOf(name)
  if (!method || caller.scopes.has(scope)) return
  throw new SkillsError('auth/scope', `This token may not call '${name}': it lacks "${scope}"`, {
    data: { scope },
  })
}
