import { delimiter, resolve } from 'node:path'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import { parseBytes, parseDuration } from '../../util/quantity.ts'
import type { KeyType } from './define-settings.ts'
import type { ConfigKey } from './keys.ts'
import { parseWorkspaceCommands, parseWorkspaceFiles } from './parse-workspace.ts'
import { hasScheme } from './roots/root-source.ts'
import { parseRepositories } from './parse-repositories.ts'
import { parseCaches, parseToolchains } from './parse-toolchains.ts'

/** Values of `lint.rules`. */
export const SEVERITIES: readonly string[] = ['error', 'warning', 'info', 'off']

/** A parsed value, or the expected one; `at` is the path below the setting. */
export type ParsedSetting = { value: unknown } | { expected: string; at?: readonly string[] }

/** Parses a typed value of a file or a text; `base` resolves relative paths. */
export function parseValue(key: ConfigKey, raw: Plain, base: string): ParsedSetting {
  const parsed = PARSERS[key.type](raw, base)
  const { choices, format } = key
  if ('expected' in parsed || (!choices && !format)) return parsed
  const values = (Array.isArray(parsed.value) ? parsed.value : [parsed.value]).map(String)
  if (choices && !values.every((value) => choices.includes(value))) {
    return { expected: `one of ${choices.join(', ')}` }
  }
  if (format && !values.every((value) => format.pattern.test(value))) {
    return { expected: format.expected }
  }
  return parsed
}

/** Parses the value of an environment variable. */
export function parseVariable(key: ConfigKey, text: string, base: string): ParsedSetting {
  if (key.type === 'paths') return parseValue(key, text.split(delimiter).filter(Boolean), base)
  if (key.type === 'roots') return parseRootsVariable(text, base)
  if (key.type === 'texts' || key.type === 'sources')
    return parseValue(
      key,
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
      base,
    )
  if (key.type === 'flag' || key.type === 'flag or choice') {
    const value = { '1': true, true: true, '0': false, false: false }[text.toLowerCase()]
    if (value !== undefined) return { value }
    return key.type === 'flag' ? { expected: 'true or false' } : parseValue(key, text, base)
  }
  if (key.type === 'count') return parseValue(key, /^\d+$/.test(text) ? Number(text) : text, base)
  return parseValue(key, text, base)
}

/** A source has a colon, which separates folders here, and no file for its pin. */
function parseRootsVariable(text: string, base: string): ParsedSetting {
  if (/(?:^|:)(?:github|npm|oci|https?|git\+[a-z]+):/i.test(text)) {
    return { expected: 'folders; a source belongs into the "roots" of a configuration file' }
  }
  const folders = text.split(delimiter).filter(Boolean)
  return { value: folders.map((each) => resolve(base, each)) }
}

const PARSERS: Record<KeyType, (raw: Plain, base: string) => ParsedSetting> = {
  text: (raw) => (typeof raw === 'string' ? { value: raw } : { expected: 'a string' }),
  texts: (raw) => (isTextList(raw) ? { value: raw } : { expected: 'a list of strings' }),
  path: (raw, base) =>
    typeof raw === 'string' && raw ? { value: resolve(base, raw) } : { expected: 'a path' },
  paths: (raw, base) =>
    isTextList(raw)
      ? { value: raw.map((each) => resolve(base, each)) }
      : { expected: 'a list of paths' },
  roots: parseSources,
  sources: parseSources,
  flag: (raw) => (typeof raw === 'boolean' ? { value: raw } : { expected: 'true or false' }),
  // "true" in quotes is a mistake here as for every flag.
  'flag or choice': (raw) =>
    typeof raw === 'boolean' || (typeof raw === 'string' && !['true', 'false'].includes(raw))
      ? { value: raw }
      : { expected: 'true, false or a string' },
  count: (raw) =>
    typeof raw === 'number' && Number.isSafeInteger(raw) && raw > 0
      ? { value: raw }
      : { expected: 'a whole number above 0' },
  bytes: (raw) =>
    parseQuantityValue(parseBytes, raw, 'a size such as "512MiB" or a number of bytes'),
  duration: (raw) =>
    parseQuantityValue(parseDuration, raw, 'a duration such as "30s" or a number of milliseconds'),
  rules: (raw) => (isRuleTable(raw) ? { value: raw } : { expected: RULES_EXPECTED }),
  overrides: (raw) => parseOverrides(raw),
  repositories: parseRepositories,
  files: (raw) => parseWorkspaceFiles(raw),
  commands: (raw) => parseWorkspaceCommands(raw),
  toolchains: parseToolchains,
  caches: parseCaches,
}

function parseSources(raw: Plain, base: string): ParsedSetting {
  if (!isTextList(raw)) return { expected: 'a list of folders and addresses' }
  return { value: raw.map((each) => (hasScheme(each) ? each : resolve(base, each))) }
}

const RULES_EXPECTED = 'a table of rule or area to error, warning, info or off'

function parseQuantityValue(
  parse: (text: string) => number | undefined,
  raw: Plain,
  expected: string,
): ParsedSetting {
  const value = typeof raw === 'string' || typeof raw === 'number' ? parse(String(raw)) : undefined
  return value === undefined || value <= 0 ? { expected } : { value }
}

function parseOverrides(raw: Plain): ParsedSetting {
  const expected = 'a list of tables with "files" (globs) and "rules"'
  if (!Array.isArray(raw)) return { expected }
  const isValid = raw.every((each) => {
    if (!isSettingTable(each)) return false
    const { files, rules, ...rest } = each
    return isTextList(files) && isRuleTable(rules) && Object.keys(rest).length === 0
  })
  return isValid ? { value: raw } : { expected }
}

function isTextList(raw: Plain | undefined): raw is string[] {
  return Array.isArray(raw) && raw.every((each) => typeof each === 'string')
}

function isRuleTable(raw: Plain | undefined): boolean {
  return (
    isSettingTable(raw) && Object.values(raw).every((each) => SEVERITIES.includes(each as string))
  )
}

function isSettingTable(raw: Plain | undefined): raw is PlainObject {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
