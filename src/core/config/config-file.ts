import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import type { Plain, PlainObject, TomlSource } from '../skills/manifest/source.ts'
import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import { readToml } from '../skills/manifest/toml-source.ts'
import { CONFIG_KEYS, type ConfigKey } from './keys.ts'
import { parseValue } from './parse-value.ts'
import { readTrusted } from './read-trusted.ts'
import { suggestSetting } from './suggest-setting.ts'

/** A setting of a configuration file. */
export interface FileValue {
  key: ConfigKey
  value: unknown
  /** `file:line`. */
  place: string
}

/** Settings of a configuration file, and the digest of the text that they were read from. */
export interface ConfigFileContent {
  values: readonly FileValue[]
  /** `sha256:<hex>`. */
  digest: string
}

interface ConfigFileOptions {
  /** Name of a file that is obeyed without a question: others must not be able to change it. */
  obeyedAs?: string | undefined
  onProblem?: ((problem: SkillsError) => void) | undefined
}

/** Reads every setting of a configuration file; problems include their location. */
export function readConfigFile(
  file: string,
  { obeyedAs, onProblem }: ConfigFileOptions = {},
): ConfigFileContent {
  const refuse = (problem: SkillsError): void => {
    if (!onProblem) throw problem
    onProblem(problem)
  }
  const toml = readConfigToml(file, obeyedAs)
  if (toml instanceof SkillsError) {
    refuse(toml)
    return { values: [], digest: '' }
  }
  const digest = `sha256:${createHash('sha256').update(toml.text).digest('hex')}`
  return { values: collectSettings({ toml, refuse }, toml.data, []), digest }
}

/** TOML of a configuration file, whose settings may be invalid, or the error that prevents it. */
export function readConfigToml(file: string, obeyedAs?: string): TomlSource | SkillsError {
  const text = readConfigText(file, obeyedAs)
  if (typeof text !== 'string') return text
  const toml = readToml(file, text)
  if (!toml.problem) return toml
  const hint = `Fix it in the file; "skills schema config" describes the valid content`
  const { message, span } = toml.problem
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return invalidConfigError({ toml, offset: span.start }, sentence, hint)
}

const MAX_FILE_BYTES = 1024 * 1024

const IGNORE_HINT = 'Type the same command with --no-config to ignore it'

/** Text of a file, or the error that prevents reading it. */
function readConfigText(file: string, obeyedAs: string | undefined): string | SkillsError {
  const unreadable = (why: string) =>
    new SkillsError('config/invalid', `Cannot read "${file}": ${why}`, {
      hint: IGNORE_HINT,
      data: { file },
    })
  try {
    if (obeyedAs !== undefined) {
      const errors = { code: 'config/invalid', hint: IGNORE_HINT } as const
      return readTrusted(file, obeyedAs, errors) ?? unreadable('ENOENT')
    }
    const bytes = readUpTo(file, MAX_FILE_BYTES)
    if (!bytes) return unreadable(`expected at most ${MAX_FILE_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    if (thrown instanceof SkillsError) return thrown
    const { code } = thrown as NodeJS.ErrnoException
    return unreadable(
      code?.startsWith('E') && !code.startsWith('ERR_') ? code : 'expected text in UTF-8',
    )
  }
}

interface ConfigReading {
  toml: TomlSource
  refuse: (problem: SkillsError) => void
}

function collectSettings(
  reading: ConfigReading,
  table: PlainObject,
  path: readonly string[],
): FileValue[] {
  const { toml, refuse } = reading
  const values: FileValue[] = []
  for (const [name, raw] of Object.entries(table)) {
    if (path.length === 0 && name === '$schema') continue
    const here = [...path, name]
    const dotted = here.join('.')
    const key = CONFIG_KEYS.find((each) => each.key === dotted)
    if (key) values.push(...readSetting(reading, key, { raw, path: here }))
    else if (!isSection(dotted)) refuse(unknownSettingError(toml, here))
    else if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      values.push(...collectSettings(reading, raw, here))
    } else {
      const message = `"${dotted}" is ${formatManifestValue(raw)}, expected a table`
      const hint = `Write it as [${dotted}] on its own line, with its settings below`
      refuse(invalidConfigError({ toml, offset: toml.locate(here).start }, message, hint))
    }
  }
  return values
}

function readSetting(
  { toml, refuse }: ConfigReading,
  key: ConfigKey,
  { raw, path }: { raw: Plain; path: readonly string[] },
): FileValue[] {
  const { start } = toml.locate(path)
  const parsed = parseValue(key, raw, dirname(toml.file))
  if ('expected' in parsed) {
    const { expected, at = [] } = parsed
    const badValue = at.reduce<Plain | undefined>(
      (table, name) => (table as PlainObject)[name],
      raw,
    )
    const message = `"${[key.key, ...at].join('.')}" is ${formatManifestValue(badValue)}, expected ${expected}`
    refuse(invalidConfigError({ toml, offset: toml.locate([...path, ...at]).start }, message))
    return []
  }
  const formatLocation = (offset: number) => `${toml.file}:${locateOffset(toml.text, offset).line}`
  const place = formatLocation(start)
  if (key.type === 'repositories') {
    const value = addPlaces(parsed.value as PlainObject, (name) =>
      formatLocation(toml.locate([...path, name]).start),
    )
    return [{ key, value, place }]
  }
  const isFolderList = key.type === 'toolchains' || key.type === 'caches'
  const value = isFolderList
    ? (parsed.value as PlainObject[]).map((entry, at) => ({
        ...entry,
        place: formatLocation(toml.locate([...path, String(at)]).start),
      }))
    : parsed.value
  return [{ key, value, place }]
}

/** Adds its location to each repository: files add to each other. */
function addPlaces(entries: PlainObject, formatLocation: (name: string) => string) {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [
      name,
      { ...(entry as PlainObject), place: formatLocation(name) },
    ]),
  )
}

function isSection(dotted: string): boolean {
  return CONFIG_KEYS.some((each) => each.key.startsWith(`${dotted}.`))
}

function unknownSettingError(toml: TomlSource, path: readonly string[]): SkillsError {
  const dotted = path.join('.')
  const guess = suggestSetting(dotted)
  const hint = guess
    ? `Did you mean "${guess}"?`
    : 'Type "skills config --no-config" to see every setting'
  const { start: offset } = toml.locate(path, 'key')
  return invalidConfigError({ toml, offset }, `Unknown setting "${dotted}"`, hint)
}

function invalidConfigError(
  { toml, offset }: { toml: TomlSource; offset: number },
  message: string,
  hint = 'Type "skills schema config" for the valid content',
): SkillsError {
  const { line, column } = locateOffset(toml.text, offset)
  return new SkillsError('config/invalid', `${toml.file}:${line}:${column}: ${message}`, {
    hint,
    data: { file: toml.file, line, column },
  })
}

function locateOffset(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
