import { CONFIG_KEYS } from '../config/keys.ts'
import type { Config } from '../config/config.ts'
import type { LanguageLimits } from './language.ts'
import type { Limits } from '../sandbox/backend.ts'

const SETTING_KEYS: Readonly<Record<keyof LanguageLimits, string>> = {
  memoryBytes: 'run.limits.memory',
  processes: 'run.limits.processes',
  workspaceBytes: 'run.limits.workspace',
}

/**
 * Resolves limits for a language: the larger of the default and what the language needs. A limit
 * that the operator changed stays as it is.
 */
export function resolveLanguageLimits(
  limits: Config['run']['limits'],
  needed: LanguageLimits = {},
): Pick<Limits, keyof LanguageLimits> {
  const resolveLimit = (name: keyof LanguageLimits) => {
    const isSet = limits[name] !== DEFAULTS.get(SETTING_KEYS[name])
    return isSet ? limits[name] : Math.max(limits[name], needed[name] ?? 0)
  }
  return {
    memoryBytes: resolveLimit('memoryBytes'),
    processes: resolveLimit('processes'),
    workspaceBytes: resolveLimit('workspaceBytes'),
  }
}

/** Returns the larger of two requirements, for each limit. */
export function joinLimits(some: LanguageLimits = {}, others: LanguageLimits = {}): LanguageLimits {
  const names = Object.keys(SETTING_KEYS) as (keyof LanguageLimits)[]
  const larger = (name: keyof LanguageLimits) => Math.max(some[name] ?? 0, others[name] ?? 0)
  return Object.fromEntries(names.map((name) => [name, larger(name)]))
}

const DEFAULTS = new Map(CONFIG_KEYS.map((each) => [each.key, each.default]))
