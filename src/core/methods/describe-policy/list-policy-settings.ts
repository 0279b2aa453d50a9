import { formatBytes, formatDuration } from '../../../util/quantity.ts'
import { readConfigField } from '../../config/list-settings.ts'
import type { Services } from '../../services.ts'
import type { DescribePolicyResult } from './definition.ts'

/** Settings of the configuration that affect decisions. */
const POLICY_SETTINGS = [
  'runtime.enabled',
  'run.timeout',
  'run.max_timeout',
  'run.limits.output',
  'run.environment',
  'run.max_concurrent',
  'run.max_waiting',
  'audit.contents',
  'audit.ttl',
  'audit.quota',
]

const BUILT_IN = { layer: 'default', place: 'built in' }
/** A program can open a runtime with any configuration. */
const UNKNOWN_ORIGIN = { layer: null, place: 'set by the program' }

/** Lists the settings of the configuration that affect decisions. */
export async function listPolicySettings({
  config,
  origins,
}: Pick<Services, 'config' | 'origins'>): Promise<DescribePolicyResult['settings']> {
  const { CONFIG_KEYS } = await import('../../config/keys.ts')
  return CONFIG_KEYS.filter(({ key }) => POLICY_SETTINGS.includes(key)).map(
    ({ key, field, type }) => {
      const value = readConfigField(config, field)
      const origin = origins ? (origins.origins[key] ?? BUILT_IN) : UNKNOWN_ORIGIN
      const { layer, place } = origin
      return { key, value: value ?? null, shown: formatPolicySetting(type, value), layer, place }
    },
  )
}

function formatPolicySetting(type: string, value: unknown): string {
  if (value === undefined) return 'not set'
  if (type === 'duration') return formatDuration(value as number)
  if (type === 'bytes') return formatBytes(value as number)
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return JSON.stringify(value)
}
