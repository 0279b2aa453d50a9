import { SkillsError } from '../../../errors.ts'
import { CONFIG_KEYS, type ConfigKey } from '../keys.ts'
import { suggestSetting } from '../suggest-setting.ts'

/** A setting, or one entry of a setting that is a table: `lint.rules.naming`. */
export interface SettingPath {
  key: ConfigKey
  /** Name of the entry; undefined for the whole setting. */
  entry: string | undefined
  /** Path in the file. */
  path: readonly string[]
}

/** Resolves a dotted name; `command` precedes it in hints. */
export function resolveSettingPath(name: string, command: string): SettingPath {
  const key = CONFIG_KEYS.find((each) => each.key === name)
  if (key) return { key, entry: undefined, path: name.split('.') }
  const table = CONFIG_KEYS.find(
    (each) => isEntryTable(each) && name.startsWith(`${each.key}.`) && name !== `${each.key}.`,
  )
  if (table) {
    const entry = name.slice(table.key.length + 1)
    return { key: table, entry, path: [...table.key.split('.'), entry] }
  }
  throw settingNameError(name, command)
}

/** Entries of these have names of the user's choice. */
function isEntryTable({ type }: ConfigKey): boolean {
  return type === 'rules' || type === 'repositories'
}

function settingNameError(name: string, command: string): SkillsError {
  const inSection = CONFIG_KEYS.find(({ key }) => key.startsWith(`${name}.`))
  if (inSection) {
    const message = `"${name}" is a group of settings, expected one setting such as ${inSection.key}`
    return new SkillsError('usage/invalid', message, {
      hint: 'Type "skills config" to see every setting',
    })
  }
  const guess = suggestSetting(name)
  const isSetting = CONFIG_KEYS.some(({ key }) => key === guess)
  return new SkillsError('usage/invalid', `Unknown setting "${name}"`, {
    hint: isSetting
      ? `Did you mean "${command} ${guess}"?`
      : 'Type "skills config" to see every setting',
  })
}
