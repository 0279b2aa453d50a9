import type { KeyType } from './define-settings.ts'
import type { ConfigOrigins, LoadedConfig, Origin } from './load-config.ts'

/** A setting with its effective value. */
export interface ConfigSetting {
  key: string
  value: unknown
  /** Unit of a value that is a quantity. */
  unit?: 'bytes' | 'ms'
  origin: Origin
  origins?: readonly Origin[]
  description: string
}

const BUILT_IN: Origin = { layer: 'default', place: 'built in' }

/** Lists all settings with their values and origins. */
export async function listConfigSettings({
  config,
  origins,
  rootOrigins,
}: Pick<LoadedConfig, 'config'> & Omit<ConfigOrigins, 'files'>): Promise<readonly ConfigSetting[]> {
  const { CONFIG_KEYS } = await import('./keys.ts')
  return CONFIG_KEYS.map(({ key, field, type, description }) => {
    const value = readConfigField(config, field)
    const origin = origins[key] ?? rootOrigins[0] ?? BUILT_IN
    const unit = SETTING_UNITS[type]
    const shown = { key, value: value ?? null, ...(unit && { unit }), origin, description }
    return key === 'roots' ? { ...shown, origins: rootOrigins } : shown
  })
}

/** Reads a value by its path in the configuration. */
export function readConfigField(config: LoadedConfig['config'], field: readonly string[]): unknown {
  return field.reduce<unknown>(
    (branch, step) => (branch as Record<string, unknown> | undefined)?.[step],
    config,
  )
}

/** Units of types that are quantities. */
export const SETTING_UNITS: Readonly<Partial<Record<KeyType, 'bytes' | 'ms'>>> = {
  bytes: 'bytes',
  duration: 'ms',
}
