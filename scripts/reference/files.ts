import { SCHEMAS } from '../../src/core/schema/schemas.ts'
import { propertyTable, type JsonSchema } from './json-schema.ts'
import { renderPage, sentence } from './markdown.ts'

/** skill-manifest.md: the keys of skill.toml, from its JSON Schema. */
export function renderSkillManifest(): string {
  const schema = SCHEMAS.skill() as JsonSchema
  return renderPage('skill.toml', [
    'Keys of `skill.toml`. `skills schema skill` prints the JSON Schema; keys that it does not list are kept.',
    ...renderTables(schema),
  ])
}

/** policy.md: the keys of policy.toml, from its JSON Schema. */
export function renderPolicy(): string {
  const schema = SCHEMAS.policy() as JsonSchema
  return renderPage('policy.toml', [
    sentence(schema.description ?? ''),
    '`skills schema policy` prints the JSON Schema. Every key is optional unless a table says otherwise.',
    ...renderTables(schema),
  ])
}

/** A section for the keys at the top, and one for each TOML table. */
function renderTables(schema: JsonSchema): string[] {
  const entries = Object.entries(schema.properties ?? {})
  const top = entries.filter(([, each]) => !isTable(each))
  const sections = entries.filter(([, each]) => isTable(each))
  const topTable = propertyTable({ ...schema, properties: Object.fromEntries(top) })
  return [
    ...(topTable === '' ? [] : ['## Top level', topTable]),
    ...sections.flatMap(([name, each]) => renderTable(name, foldRepeated(each, schema))),
  ]
}

/** Names the table at the top whose keys a nested table repeats, in place of the keys. */
function foldRepeated(table: JsonSchema, { properties: tables = {} }: JsonSchema): JsonSchema {
  if (!table.items?.properties) return table
  const properties = Object.entries(table.items.properties).map(([name, nested]) => {
    const isRepeated = JSON.stringify(nested) === JSON.stringify(tables[name])
    const folded = { type: 'object', description: `The keys of [${name}]` }
    return [name, isRepeated ? folded : nested] as const
  })
  return { ...table, items: { ...table.items, properties: Object.fromEntries(properties) } }
}

function renderTable(name: string, schema: JsonSchema): string[] {
  const values = schema.additionalProperties
  const inner = schema.items ?? (typeof values === 'object' ? values : schema)
  const title = schema.items ? `[[${name}]]` : inner === schema ? `[${name}]` : `[${name}.<name>]`
  return [
    `## ${title.replace('<name>', 'NAME')}`,
    schema.description === undefined ? '' : sentence(schema.description),
    propertyTable(inner),
  ]
}

function isTable({ items, properties, type }: JsonSchema): boolean {
  return type === 'object' || properties !== undefined || items?.properties !== undefined
}
