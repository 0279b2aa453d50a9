import { availableParallelism, hostname } from 'node:os'
import { SkillsError } from '../errors.ts'
import { isLoopback, LOOPBACK_NAMES, type Trust } from './host-check.ts'
import { listen } from './listen.ts'
import { makeServices, type ServerLimits, type ServerOptions } from './services.ts'

export interface ServeOptions extends Pick<
  ServerOptions,
  'runtime' | 'tokens' | 'cwd' | 'env' | 'allowNetwork' | 'log' | 'spans'
> {
  host: string
  /** 0 takes any free one. */
  port: number
  /** The operator said that nobody needs a token. */
  noAuth: boolean
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  limits?: Partial<ServerLimits>
}

/** In which killed runs are to be gone. */
const KILL_MS = 5000

/** A server that is up. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Takes no more calls, lets runs finish for a while, ends the rest. */
  stop(graceMs: number): Promise<void>
}

/** Starts a server; refuses what others could reach without a token. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host, port } = options
  if (!isLoopback(host) && !options.tokens && !options.noAuth) throw tokenNeeded(host)
  const limits = { ...defaultLimits(), ...options.limits }
  const services = makeServices({ ...options, limits, trust: trustOf(options) })
  const listening = await listen(services, { host, port })
  return {
    url: listening.url,
    port: listening.port,
    async stop(graceMs) {
      services.gate.close()
      const late = setTimeout(() => services.endRuns(), graceMs)
      // What does not go away even when it is told to is cut off.
      await listening.close(graceMs + KILL_MS)
      clearTimeout(late)
      await services.spans?.flush()
    },
  }
}

function defaultLimits(): ServerLimits {
  const cores = availableParallelism()
  return {
    bodyBytes: 32 * 1024 ** 2,
    bodyMs: 30_000,
    running: Math.max(2, cores),
    waiting: 64,
    callsPerSecond: 500,
  }
}

function trustOf({ host, allowedHosts, allowedOrigins }: ServeOptions): Trust {
  const own = isLoopback(host) ? [host] : [host, hostname()]
  const names = [...LOOPBACK_NAMES, ...own, ...allowedHosts]
  return {
    hosts: new Set(names.map((each) => each.toLowerCase())),
    anyAddress: !isLoopback(host),
    origins: new Set(allowedOrigins),
  }
}

function tokenNeeded(host: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `Others could reach this server on "${host}", so it needs a token`,
    { hint: 'Name a file of tokens with --token-file, set SKILLS_TOKEN, or say --no-auth' },
  )
}
