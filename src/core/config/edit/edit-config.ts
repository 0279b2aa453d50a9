import { isDeepStrictEqual } from 'node:util'
import { lstatSync } from 'node:fs'
import { SkillsError } from '../../../errors.ts'
import type { Plain, PlainObject, TomlSource } from '../../skills/manifest/source.ts'
import { readToml } from '../../skills/manifest/toml-source.ts'
import { readConfigToml } from '../config-file.ts'
import { replaceConfigFile } from './replace-config-file.ts'
import { listTextsWithValue } from './set-toml.ts'
import { removeTomlValue } from './unset-toml.ts'

/** Sets a value in a configuration file, which is created if absent. True if the file changed. */
export async function setConfigValue(
  file: string,
  path: readonly string[],
  value: Plain,
): Promise<boolean> {
  const toml = openEditedFile(file)
  const wanted = withValue(toml.data, path, value)
  if (isSameData(toml.data, wanted)) return false
  const texts = tryLayout(toml, () => [
    ...listTextsWithValue(toml.text, { path, value: formatTomlValue(value) }),
  ])
  const text = texts.find((each) => {
    const { data, problem } = readToml(file, each)
    return !problem && isSameData(data, wanted)
  })
  if (text === undefined) throw uneditableError(file, path)
  await replaceConfigFile(file, text)
  return true
}

/** Removes a value from a configuration file. False if the file does not contain it. */
export async function unsetConfigValue(file: string, path: readonly string[]): Promise<boolean> {
  const toml = openEditedFile(file)
  if (readValueAt(toml.data, path) === undefined) return false
  const wanted = withValue(toml.data, path, undefined)
  const text = tryLayout(toml, () => removeTomlValue(toml.text, path))
  const after = text === undefined ? undefined : readToml(file, text)
  if (!after || after.problem || !isSameData(pruneEmpty(after.data), pruneEmpty(wanted))) {
    throw uneditableError(file, path)
  }
  await replaceConfigFile(file, after.text)
  return true
}

function openEditedFile(file: string): TomlSource {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) {
    throw new SkillsError('file/outside', `Cannot write "${file}": it is a symbolic link`, {
      hint: 'Name the file that it points to with --config',
    })
  }
  if (!stat) return readToml(file, '')
  const toml = readConfigToml(file)
  if (toml instanceof SkillsError) throw toml
  return toml
}

/** The parser of positions overflows the stack on long texts. */
function tryLayout<T>({ file }: TomlSource, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new SkillsError('config/invalid', `Cannot edit "${file}": it is too long`, {
      hint: 'Change the setting in the file with an editor',
      cause,
    })
  }
}

function uneditableError(file: string, path: readonly string[]): SkillsError {
  const message = `Cannot change "${path.join('.')}" in "${file}" without other changes to the file`
  return new SkillsError('config/invalid', message, {
    hint: 'Change the setting in the file with an editor',
  })
}

/** Notation on one line. */
function formatTomlValue(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(', ')}]`
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007F', '\\u007f')
  if (typeof value !== 'object' || value === null) return String(value)
  const pairs = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)} = ${formatTomlValue(each)}`,
  )
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function isEditableTable(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readValueAt(table: PlainObject, path: readonly string[]): Plain | undefined {
  return path.reduce<Plain | undefined>(
    (at, name) => (isEditableTable(at) ? at[name] : undefined),
    table,
  )
}

function withValue(
  table: PlainObject,
  [name = '', ...rest]: readonly string[],
  value: Plain | undefined,
): PlainObject {
  const below = table[name]
  const next =
    rest.length === 0 ? value : withValue(isEditableTable(below) ? below : {}, rest, value)
  const { [name]: _replaced, ...others } = table
  return next === undefined ? others : { ...others, [name]: next }
}

function pruneEmpty(table: PlainObject): PlainObject {
  const pruned: PlainObject = {}
  for (const [name, value] of Object.entries(table)) {
    const below = isEditableTable(value) ? pruneEmpty(value) : value
    if (!isEditableTable(below) || Object.keys(below).length > 0) pruned[name] = below
  }
  return pruned
}

/** Ignores prototypes: parsed tables have none. */
function isSameData(a: PlainObject, b: PlainObject): boolean {
  const plain = (data: PlainObject): unknown => JSON.parse(JSON.stringify(data))
  return isDeepStrictEqual(plain(a), plain(b))
}
