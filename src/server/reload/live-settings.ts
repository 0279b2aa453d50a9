import { readConfigField as read } from '../../core/config/list-settings.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import { CONFIG_KEYS } from '../../core/config/keys.ts'
import { resolveLimits } from '../limits.ts'
import type { ServerContext } from '../server-context.ts'
import type { ReloadReport } from './reloader.ts'

/** Settings that a running server applies. All others need a restart. */
const LIVE_SETTINGS: ReadonlySet<string> = new Set([
  'run.max_concurrent',
  'run.max_waiting',
  'serve.allowed_hosts',
  'serve.allowed_origins',
  'serve.runs_per_caller',
  'serve.calls_per_second',
  'serve.quotas.cpu',
  'serve.quotas.blobs',
  'serve.quotas.skills',
])

type LimitedContext = Pick<
  ServerContext,
  'runtime' | 'runQueue' | 'rateLimiter' | 'quotas' | 'limits'
>

/** Applies a new configuration as far as a running server can. */
export function applyLiveSettings(
  context: LimitedContext,
  { config: now, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
  hasSeveralCallers: boolean,
): ReloadReport {
  const { config } = context.runtime
  const changed = CONFIG_KEYS.filter(({ field }) => !isEqual(read(config, field), read(now, field)))
  const live = changed.filter(({ key }) => LIVE_SETTINGS.has(key))
  const needsRestart = changed.map(({ key }) => key).filter((key) => !LIVE_SETTINGS.has(key))
  if (!isEqual(config.roots, now.roots) && !needsRestart.includes('roots'))
    needsRestart.push('roots')
  for (const { field } of live) {
    const section = read(config, field.slice(0, -1)) as object
    Object.assign(section, { [field.at(-1) as string]: read(now, field) })
  }
  const liveOrigins = [...LIVE_SETTINGS].flatMap((key) => {
    const origin = origins[key]
    return origin ? [[key, origin] as const] : []
  })
  Object.assign(context.runtime.origins?.origins ?? {}, Object.fromEntries(liveOrigins))
  applyLimits(context, hasSeveralCallers)
  return {
    changes: live.map(({ key, field }) => `${key} is now ${JSON.stringify(read(now, field))}`),
    needsRestart,
  }
}

/** Applies the limits of the configuration to the queue and to the rates. */
export function applyLimits(
  { runtime, limits, runQueue, rateLimiter, quotas: usage }: LimitedContext,
  hasSeveralCallers: boolean,
): void {
  const { running, waiting, runsPerCaller, callsPerSecond, quotas } = resolveLimits(
    runtime.config,
    hasSeveralCallers,
  )
  Object.assign(limits, {
    running,
    waiting,
    runsPerCaller,
    hasSeveralCallers,
    callsPerSecond,
    quotas,
  })
  runQueue.setLimits?.({ running, waiting, perPrincipal: runsPerCaller })
  rateLimiter.setRate(callsPerSecond)
  usage.setDefaults(quotas)
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
