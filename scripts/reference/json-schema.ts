import { code, escapeText, table } from './markdown.ts'

/** The parts of JSON Schema that our schemas use. */
export interface JsonSchema {
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** How deep nested properties are listed; deeper ones are named by their type alone. */
const MAX_DEPTH = 4

/** Table of the properties of an object, nested ones below their dotted path. */
export function propertyTable(schema: JsonSchema): string {
  const rows = listProperties(schema, '', 1)
  if (rows.length === 0) return ''
  const columns = COLUMNS.filter(
    ({ isOptional, show }) => !isOptional || rows.some((row) => show(row)),
  )
  return table(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map(({ show }) => show(row))),
  )
}

/** An optional column is left out of a table in which all its cells would be empty. */
const COLUMNS: readonly {
  head: string
  isOptional?: true
  show: (row: PropertyRow) => string
}[] = [
  { head: 'Name', show: ({ path }) => code(path) },
  { head: 'Type', show: ({ type }) => type },
  { head: 'Required', isOptional: true, show: ({ required }) => (required ? 'yes' : '') },
  { head: 'Default', isOptional: true, show: (row) => row.default },
  { head: 'Description', isOptional: true, show: ({ description }) => description },
]

interface PropertyRow {
  path: string
  type: string
  required: boolean
  default: string
  description: string
}

function listProperties(schema: JsonSchema, prefix: string, depth: number): PropertyRow[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, property]) => {
      const path = `${prefix}${name}`
      const row: PropertyRow = {
        path,
        type: describeType(property),
        required: schema.required?.includes(name) === true,
        default: property.default === undefined ? '' : code(JSON.stringify(property.default)),
        description: describeProperty(property),
      }
      return depth < MAX_DEPTH ? [row, ...listNested(property, path, depth + 1)] : [row]
    })
}

function listNested(schema: JsonSchema, path: string, depth: number): PropertyRow[] {
  if (schema.items) return listNested(schema.items, `${path}[]`, depth)
  const variants = (schema.anyOf ?? []).flatMap((each) => listNested(each, path, depth))
  const values = valueSchema(schema)
  const named = values ? listNested(values, `${path}.<name>`, depth) : []
  return [...listProperties(schema, `${path}.`, depth), ...variants, ...named]
}

function describeProperty(schema: JsonSchema): string {
  const texts = [schema.description ?? schema.items?.description, listBounds(schema)]
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map((text) => escapeText(text as string))
    .join('; ')
}

/** The type of a value, with the values of an enumeration. */
export function describeType(schema: JsonSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(describeType))].join(' or ')
  if (schema.items) return `array of ${describeType(schema.items)}`
  const values = valueSchema(schema)
  if (values?.type !== undefined || values?.enum) return `table of ${describeType(values)}`
  if (schema.type === undefined) return 'any'
  return [schema.type].flat().join(' or ')
}

/** The schema of the values of an object whose names are free. */
function valueSchema({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function listBounds(schema: JsonSchema): string {
  const bounds = [
    bound('at least', schema.minimum, ''),
    bound('at most', schema.maximum, ''),
    bound('at least', schema.minLength, ' characters'),
    bound('at most', schema.maxLength, ' characters'),
    bound('at least', schema.minItems, ' items'),
    bound('at most', schema.maxItems, ' items'),
    describeText(schema),
    schema.examples &&
      `for example ${schema.examples.map((each) => code(String(each))).join(', ')}`,
  ]
  return bounds.filter((each) => each !== undefined).join(', ')
}

/** Bounds of the number type itself are left out, and "at least 1 characters" says nothing new. */
function bound(words: string, value: number | undefined, unit: string): string | undefined {
  if (value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return undefined
  if (unit !== '' && value === 1 && words === 'at least') return 'not empty'
  return `${words} ${value}${unit}`
}

/** The pattern of a time says less than an example. */
function describeText({ format, pattern }: JsonSchema): string | undefined {
  if (format === 'date-time') return `a time such as ${code('2026-01-31T12:00:00Z')}`
  return pattern === undefined ? undefined : `must match ${code(pattern)}`
}
