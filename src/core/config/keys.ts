import type { KeyType, SettingDefinition } from './define-settings.ts'
import { FLEET_KEYS } from './fleet-keys.ts'
import { FOLDER_KEYS, GENERAL_KEYS } from './general-keys.ts'
import { INSTALL_KEYS } from './install-keys.ts'
import { LIMIT_KEYS } from './limit-keys.ts'
import { LINT_KEYS } from './lint-keys.ts'
import { POLICY_KEYS } from './policy-keys.ts'
import { RUN_KEYS } from './run-keys.ts'
import { SERVE_KEYS } from './serve-keys.ts'
import { WORKSPACE_KEYS } from './workspace-keys.ts'

const UNIT_SUFFIXES: Readonly<Partial<Record<KeyType, string>>> = { bytes: 'Bytes', duration: 'Ms' }

/** A setting, with its path in Config. */
export interface ConfigKey extends SettingDefinition {
  field: readonly string[]
}

const ROWS = [
  ...FOLDER_KEYS,
  ...LINT_KEYS,
  ...INSTALL_KEYS,
  ...RUN_KEYS,
  ...LIMIT_KEYS,
  ...GENERAL_KEYS,
  ...POLICY_KEYS,
  ...WORKSPACE_KEYS,
  ...SERVE_KEYS,
  ...FLEET_KEYS,
]

/** The rows with their exact types. */
export type SettingRow = (typeof ROWS)[number]

export const CONFIG_KEYS: readonly ConfigKey[] = ROWS.map((row: SettingDefinition) => ({
  ...row,
  field: resolveField(row),
}))

/** Resolves the path in Config: that of the key, with the unit of the value at its end. */
function resolveField({ key, name, type }: SettingDefinition): readonly string[] {
  const steps = key.split('.')
  const last = steps.pop() as string
  const camel = last.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return [...steps, name ?? `${camel}${UNIT_SUFFIXES[type] ?? ''}`]
}

/** Types that a variable cannot hold. */
const STRUCTURED_TYPES: ReadonlySet<KeyType> = new Set([
  'rules',
  'overrides',
  'repositories',
  'files',
  'commands',
  'toolchains',
  'caches',
])

/**
 * Variable that sets a key: `run.timeout` is SKILLS_RUN_TIMEOUT; roots are a path list in
 * SKILLS_PATH.
 */
export function getVariableName({ key, type }: ConfigKey): string | undefined {
  if (key === 'roots') return 'SKILLS_PATH'
  if (STRUCTURED_TYPES.has(type)) return undefined
  return `SKILLS_${key.toUpperCase().replaceAll('.', '_')}`
}
