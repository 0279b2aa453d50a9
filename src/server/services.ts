import { METHODS } from '../core/methods/index.ts'
import type { Method } from '../core/methods/method.ts'
import { BUILTIN_SKILLS, type Runtime } from '../core/runtime.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { Trust } from './host-check.ts'
import { makeRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { makeRunGate, type RunGate } from './run-gate.ts'
import type { TokenBook } from './tokens.ts'

/** What a server allows; every one of these is enforced. */
export interface ServerLimits {
  /** Bytes of a body of /rpc. */
  bodyBytes: number
  /** In which a body of /rpc must have come, and the pause that a blob's body may make. */
  bodyMs: number
  running: number
  waiting: number
  /** Calls a second of each token. */
  callsPerSecond: number
}

/** What a server is made of. */
export interface ServerOptions {
  runtime: Runtime
  trust: Trust
  /** Undefined: everybody may do everything. */
  tokens: TokenBook | undefined
  limits: ServerLimits
  cwd: string
  /** What runs may look up: where programs are found, variables that are handed through. */
  env: Readonly<Record<string, string | undefined>>
  /** Lets skills use the network that they declare. */
  allowNetwork: boolean
}

/** What lives as long as the server. */
export interface Services extends ServerOptions {
  rpc: Rpc
  gate: RunGate
  rates: RateLimiter
}

/** Puts the parts together. Nothing is started. */
export function makeServices(options: ServerOptions): Services {
  const { runtime, limits } = options
  const methods = METHODS as readonly unknown[] as readonly Method[]
  return {
    ...options,
    rpc: createRpc({ runtime, methods, privateFolders: privateFolders(options) }),
    gate: makeRunGate(limits),
    rates: makeRateLimiter(limits.callsPerSecond),
  }
}

function privateFolders({ runtime, cwd, env }: ServerOptions): string[] {
  const { roots, directories } = runtime.config
  const all = [...roots, BUILTIN_SKILLS, directories.data, directories.cache, cwd, env['HOME']]
  return all.filter((each) => each !== undefined)
}
