import { dirname } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { nearest } from '../../util/nearest.ts'
import type { Plain, PlainObject, TomlSource } from '../manifest/source.ts'
import { readToml } from '../manifest/toml-source.ts'
import { CONFIG_KEYS, type ConfigKey } from './keys.ts'
import { parseValue } from './parse-value.ts'

export interface FileValue {
  key: ConfigKey
  value: unknown
  /** `file:line`. */
  place: string
}

/** Reads every setting of a configuration file; the first mistake is an error with its place. */
export function readConfigFile(file: string, text: string): FileValue[] {
  const toml = readToml(file, text)
  if (toml.problem) {
    throw invalid(toml, toml.problem.span.start, `${toml.problem.message}, expected TOML`)
  }
  return collect(toml, toml.data, [])
}

function collect(toml: TomlSource, table: PlainObject, path: readonly string[]): FileValue[] {
  const values: FileValue[] = []
  for (const [name, raw] of Object.entries(table)) {
    if (path.length === 0 && name === '$schema') continue
    const here = [...path, name]
    const dotted = here.join('.')
    const key = CONFIG_KEYS.find((each) => each.key === dotted)
    if (key) values.push(readSetting(toml, key, { raw, path: here }))
    else if (isSection(dotted)) {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
        throw invalid(
          toml,
          toml.locate(here).start,
          `"${dotted}" is ${JSON.stringify(raw)}, expected a table`,
        )
      }
      values.push(...collect(toml, raw, here))
    } else throw unknownSetting(toml, here)
  }
  return values
}

function readSetting(
  toml: TomlSource,
  key: ConfigKey,
  { raw, path }: { raw: Plain; path: readonly string[] },
): FileValue {
  const { start } = toml.locate(path)
  const parsed = parseValue(key, raw, dirname(toml.file))
  if ('expected' in parsed) {
    throw invalid(
      toml,
      start,
      `"${key.key}" is ${JSON.stringify(raw)}, expected ${parsed.expected}`,
    )
  }
  return { key, value: parsed.value, place: `${toml.file}:${lineAndColumn(toml.text, start).line}` }
}

function isSection(dotted: string): boolean {
  return CONFIG_KEYS.some((each) => each.key.startsWith(`${dotted}.`))
}

function unknownSetting(toml: TomlSource, path: readonly string[]): SkillsError {
  const dotted = path.join('.')
  const guess = nearest(
    dotted,
    CONFIG_KEYS.map((each) => each.key),
  )
  const hint = guess ? `Did you mean "${guess}"?` : 'Run "skills config" to see every setting'
  return invalid(toml, toml.locate(path, 'key').start, `Unknown setting "${dotted}"`, hint)
}

// eslint-disable-next-line max-params -- place, sentence and advice belong together
function invalid(toml: TomlSource, offset: number, message: string, hint?: string): SkillsError {
  const { line, column } = lineAndColumn(toml.text, offset)
  return new SkillsError('config/invalid', `${toml.file}:${line}:${column}: ${message}`, {
    hint: hint ?? 'Run "skills schema config" to see what may stand there',
    data: { file: toml.file, line, column },
  })
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
