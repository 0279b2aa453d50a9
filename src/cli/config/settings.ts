import type { ConfigSetting } from '../../core/config/list-settings.ts'
import type { Origin } from '../../core/config/load-config.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatByteLimit, formatDuration } from '../../util/quantity.ts'

export function formatOrigin(origin: Origin | null): string {
  if (origin === null) return 'set by the program'
  const { layer, place: where } = origin
  return layer === 'default' ? toPrintable(where) : `${layer}: ${toPrintable(where)}`
}

/** Quantities have the notation of configuration files. */
export function formatSetting({ value, unit }: Pick<ConfigSetting, 'value' | 'unit'>): string {
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
