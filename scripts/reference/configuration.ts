import type { KeyType, SettingSource } from '../../src/core/config/define-settings.ts'
import { CONFIG_KEYS, getVariableName, type ConfigKey } from '../../src/core/config/keys.ts'
import { SCHEMAS } from '../../src/core/schema/schemas.ts'
import { formatBytes, formatDuration } from '../../src/util/quantity.ts'
import { anchor } from './anchor.ts'
import { propertyTable, type JsonSchema } from './json-schema.ts'
import { code, escapeText, list, renderPage, sentence, table } from './markdown.ts'

/** Types of values, and how they are written where that is not the same for every key. */
const TYPES: Readonly<Record<KeyType, { name: string; written?: string }>> = {
  text: { name: 'string', written: 'a string' },
  texts: {
    name: 'array of strings',
    written: 'an array of strings; in a variable, separated by commas',
  },
  path: { name: 'path', written: 'a string; relative to the file that sets it' },
  paths: {
    name: 'array of paths',
    written: 'an array of strings; in a variable, separated by colons',
  },
  roots: {
    name: 'array of paths and sources',
    written: 'an array of strings; in a variable, paths separated by colons',
  },
  sources: {
    name: 'array of paths and addresses',
    written: 'an array of strings; in a variable, separated by commas',
  },
  flag: { name: 'boolean', written: '`true` or `false`; in a variable also `1` or `0`' },
  'flag or choice': {
    name: 'boolean or string',
    written: '`true`, `false` or one of the listed strings',
  },
  count: { name: 'integer', written: 'a whole number above 0' },
  bytes: { name: 'size', written: '`"512MiB"`, `"10 MB"` or a number of bytes' },
  duration: {
    name: 'duration',
    written: '`"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"` or a number of milliseconds',
  },
  rules: { name: 'table of rule or area to severity' },
  overrides: { name: 'array of tables' },
  repositories: { name: 'table of name to path, or to a table' },
  files: { name: 'array of tables' },
  commands: { name: 'array of tables' },
  toolchains: { name: 'array of tables' },
  caches: { name: 'array of tables' },
}

const SET_BY: Readonly<Record<SettingSource, string>> = {
  project: 'any project; a path has to be inside of it',
  'project, to restrict': 'any project to allow less, otherwise a trusted project',
  'trusted project': 'a trusted project',
  user: 'the user only',
}

/** configuration.md: every key, by section, from the table of settings. */
export function renderConfiguration(): string {
  const sections = [...new Set(CONFIG_KEYS.map(getSection))]
  const index = CONFIG_KEYS.map(
    ({ key, description }) => `[${code(key)}](#${anchor(key)}): ${escapeText(description)}`,
  )
  return renderPage('Configuration keys', [
    'Keys of `skills.config.toml`. `skills config` prints the effective value of each key and where it comes from; `skills schema config` prints the JSON Schema of the file.',
    list(index),
    '## Types',
    table(
      ['Type', 'Written as'],
      Object.values(TYPES).flatMap(({ name, written }) =>
        written === undefined ? [] : [[name, written]],
      ),
    ),
    ...sections.flatMap((section) => [
      `## ${section}`,
      ...CONFIG_KEYS.filter((each) => getSection(each) === section).flatMap(renderKey),
    ]),
  ])
}

function getSection({ key }: ConfigKey): string {
  return key.includes('.') ? `[${key.slice(0, key.indexOf('.'))}]` : 'Top level'
}

function renderKey(each: ConfigKey): string[] {
  const variable = getVariableName(each)
  const facts = list([
    `Type: ${TYPES[each.type].name}`,
    each.choices && `Values: ${each.choices.map(code).join(', ')}`,
    `Default: ${formatDefault(each)}`,
    `Set by: ${SET_BY[each.setBy]}`,
    variable === undefined
      ? 'Environment variable: none'
      : `Environment variable: ${code(variable)}`,
  ])
  const schema = findSchema(each.key)
  const items = schema.items ?? schema.additionalProperties
  const fields = typeof items === 'object' ? listVariants(items).map(propertyTable) : []
  return [`### ${each.key}`, sentence(each.description), facts, ...fields]
}

function listVariants(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ?? [schema]
}

function findSchema(key: string): JsonSchema {
  const steps = key.split('.')
  return steps.reduce<JsonSchema>(
    (schema, step) => schema.properties?.[step] ?? {},
    SCHEMAS.config() as JsonSchema,
  )
}

/** The default as it is written in the file. */
function formatDefault({ type, default: value }: ConfigKey): string {
  if (value === undefined) return 'none'
  if (type === 'duration') return code(JSON.stringify(formatDuration(value as number)))
  if (type === 'bytes') return code(JSON.stringify(formatBytes(value as number).replace(' ', '')))
  return code(JSON.stringify(value))
}
