import type { KeyType } from '../../core/config/keys.ts'
import type { LoadedConfig, Origin } from '../../core/config/load-config.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatByteLimit, formatDuration } from '../../util/quantity.ts'

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

export async function listConfigSettings(loaded: LoadedConfig): Promise<readonly ConfigSetting[]> {
  const { CONFIG_KEYS } = await import('../../core/config/keys.ts')
  return CONFIG_KEYS.map(({ key, field, type, description }) => {
    const value = field.reduce<unknown>(
      (branch, step) => (branch as Record<string, unknown> | undefined)?.[step],
      loaded.config,
    )
    const builtIn: Origin = { layer: 'default', place: 'built in' }
    const origin = loaded.origins[key] ?? loaded.rootOrigins[0] ?? builtIn
    const unit = UNITS[type]
    const shown = { key, value: value ?? null, ...(unit && { unit }), origin, description }
    return key === 'roots' ? { ...shown, origins: loaded.rootOrigins } : shown
  })
}

const UNITS: Readonly<Partial<Record<KeyType, 'bytes' | 'ms'>>> = { bytes: 'bytes', duration: 'ms' }

export function formatOrigin({ layer, place: where }: Origin): string {
  return layer === 'default' ? toPrintable(where) : `${layer}: ${toPrintable(where)}`
}

/** Quantities have the notation of configuration files. */
export function formatSetting({ value, unit }: ConfigSetting): string {
  if (typeof value !== 'number' || unit === undefined) return formatSettingValue(value)
  if (unit === 'bytes') return formatByteLimit(value)
  return formatDuration(value)
    .replace(/m$/, 'min')
    .replace(/(?=[a-z]+$)/, ' ')
}

function formatSettingValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return toPrintable(value.join(', ')) || '-'
  }
  return toPrintable(typeof value === 'string' ? value : JSON.stringify(value))
}
