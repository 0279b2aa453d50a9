import { findNearest } from '../../../util/find-nearest.ts'
import { formatByteLimit, parseBytes, parseDuration } from '../../../util/quantity.ts'
import { formatManifestValue } from '../../skills/manifest/non-finite.ts'
import type { Plain, PlainObject } from '../../skills/manifest/source.ts'
import type { Place } from './problems.ts'

/** One description of a key: it reads the value strictly, and is its JSON Schema. */
export interface Field<Value> {
  description: string
  schema: PlainObject
  isRequired?: true
  /** Returns undefined after it reported a problem. */
  read(value: Plain, place: Place): Value | undefined
}

export type FieldTable = Readonly<Record<string, Field<unknown>>>

/** Values of a table, by the names of its fields. */
export type FieldValues<Table extends FieldTable> = {
  [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value | undefined : never
}

/** Builds a field from the sentence that names the expected values. */
function defineField<Value>(
  description: string,
  schema: PlainObject,
  { expects, parse }: { expects: string; parse: (value: Plain) => Value | undefined },
): Field<Value> {
  return {
    description,
    schema: { ...schema, description },
    read: (value, place) =>
      parse(value) ?? place.refuse(`Expected ${expects}, got ${spellValue(value)}`),
  }
}

export function requiredField<Value>(field: Field<Value>): Field<Value> {
  return { ...field, isRequired: true }
}

export function textField(description: string): Field<string> {
  const parse = (value: Plain) => (typeof value === 'string' ? value : undefined)
  return defineField(description, { type: 'string' }, { expects: 'a text', parse })
}

/** A text with at least one character that is not a blank. */
export function nameField(description: string): Field<string> {
  const parse = (value: Plain) =>
    typeof value === 'string' && value.trim() !== '' ? value : undefined
  return defineField(
    description,
    { type: 'string', minLength: 1 },
    { expects: 'a text that is not empty', parse },
  )
}

export function choiceField<Name extends string>(
  description: string,
  names: readonly Name[],
): Field<Name> {
  const parse = (value: Plain) => names.find((each) => each === value)
  const expects = `one of ${names.map((each) => `"${each}"`).join(', ')}`
  return defineField(description, { enum: [...names] }, { expects, parse })
}

export function flagField(description: string): Field<boolean> {
  const parse = (value: Plain) => (typeof value === 'boolean' ? value : undefined)
  return defineField(description, { type: 'boolean' }, { expects: 'true or false', parse })
}

export function countField(description: string): Field<number> {
  const parse = (value: Plain) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
  return defineField(
    description,
    { type: 'integer', minimum: 0 },
    { expects: 'a whole number from 0', parse },
  )
}

export function integerField(description: string): Field<number> {
  const parse = (value: Plain) => (Number.isSafeInteger(value) ? (value as number) : undefined)
  return defineField(description, { type: 'integer' }, { expects: 'a whole number', parse })
}

/** Milliseconds, written as `500ms`, `2s` or `1m`. */
export function durationField(description: string): Field<number> {
  const parse = (value: Plain) => {
    const ms = typeof value === 'string' ? parseDuration(value) : undefined
    return ms !== undefined && ms > 0 ? ms : undefined
  }
  return defineField(
    description,
    { type: 'string' },
    { expects: 'a duration such as "500ms" or "2s"', parse },
  )
}

/** Bytes from a lower bound on, written as `64MiB` or `1GiB`. */
export function bytesField(description: string, minBytes: number): Field<number> {
  const parse = (value: Plain) => {
    const bytes = typeof value === 'string' ? parseBytes(value) : undefined
    return bytes !== undefined && bytes >= minBytes ? bytes : undefined
  }
  const expects = `a size from "${formatByteLimit(minBytes).replace(' ', '')}" on`
  return defineField(description, { type: 'string' }, { expects, parse })
}

export function patternField(description: string): Field<RegExp> {
  return {
    description,
    schema: { type: 'string', format: 'regex', description },
    read(value, place) {
      if (typeof value !== 'string' || value === '') {
        return place.refuse(`Expected a regular expression, got ${spellValue(value)}`)
      }
      try {
        return new RegExp(value, 'su')
      } catch (cause) {
        const reason = (cause as Error).message.replace(/^Invalid regular expression: /, '')
        return place.refuse(`Expected a regular expression: ${reason}`)
      }
    },
  }
}

/** Any value of JSON. */
export function anyField(description: string): Field<{ value: Plain }> {
  return { description, schema: { description }, read: (value) => ({ value }) }
}

/** A table whose keys are free. */
export function mapField<Value>(
  description: string,
  field: Field<Value>,
): Field<Map<string, Value>> {
  return {
    description,
    schema: { type: 'object', additionalProperties: field.schema, description },
    read(value, place) {
      if (!isTable(value)) return place.refuse(`Expected a table, got ${spellValue(value)}`)
      const result = new Map<string, Value>()
      for (const [key, each] of Object.entries(value)) {
        const read = field.read(each, place.at(key))
        if (read !== undefined) result.set(key, read)
      }
      return result
    },
  }
}

/** A list with at least one element. */
export function listField<Value>(description: string, field: Field<Value>): Field<Value[]> {
  return {
    description,
    schema: { type: 'array', minItems: 1, items: field.schema, description },
    read(value, place) {
      if (!Array.isArray(value)) return place.refuse(`Expected a list, got ${spellValue(value)}`)
      if (value.length === 0)
        return place.refuse('Expected at least one element, got an empty list')
      return value.flatMap((each, at) => {
        const read = field.read(each, place.at(at))
        return read === undefined ? [] : [read]
      })
    },
  }
}

/** One value, or a list of them. */
export function oneOrMoreField<Value>(description: string, field: Field<Value>): Field<Value[]> {
  const list = listField(description, field)
  return {
    description,
    schema: { anyOf: [field.schema, list.schema], description },
    read(value, place) {
      if (Array.isArray(value)) return list.read(value, place)
      const read = field.read(value, place)
      return read === undefined ? undefined : [read]
    },
  }
}

/** A table with these keys and no others. */
export function tableField<Table extends FieldTable>(
  description: string,
  fields: Table,
): Field<FieldValues<Table>> {
  return {
    description,
    schema: { ...createTableSchema(fields), description },
    read: (value, place) => readTable(fields, value, place),
  }
}

/** The same, where an empty table is a mistake. */
export function filledTableField<Table extends FieldTable>(
  description: string,
  fields: Table,
): Field<FieldValues<Table>> {
  const field = tableField(description, fields)
  return {
    ...field,
    schema: { ...field.schema, minProperties: 1 },
    read(value, place) {
      if (isTable(value) && Object.keys(value).length === 0) {
        return place.refuse(
          `Expected at least one of ${listFieldNames(fields)}, got an empty table`,
        )
      }
      return field.read(value, place)
    },
  }
}

/** Reads a table strictly: unknown keys, wrong types and missing required keys are problems. */
export function readTable<Table extends FieldTable>(
  fields: Table,
  value: Plain,
  place: Place,
): FieldValues<Table> | undefined {
  if (!isTable(value)) return place.refuse(`Expected a table, got ${spellValue(value)}`)
  const values: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field) values[key] = field.read(each, place.at(key))
    else refuseUnknownKey(fields, key, place)
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.isRequired && !Object.hasOwn(value, name)) {
      place.refuse(`The key "${name}" is missing`, { what: 'key', help: field.description })
    }
  }
  return values as FieldValues<Table>
}

function refuseUnknownKey(fields: FieldTable, key: string, place: Place): void {
  const near = findNearest(key, Object.keys(fields))
  const help =
    near === undefined ? `The keys here are ${listFieldNames(fields)}` : `Did you mean "${near}"?`
  place.at(key).refuse(`Unknown key "${key}"`, { what: 'key', help })
}

function listFieldNames(fields: FieldTable): string {
  return Object.keys(fields).join(', ')
}

export function createTableSchema(fields: FieldTable): PlainObject {
  const required = Object.keys(fields).filter((name) => fields[name]?.isRequired)
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { schema }]) => [name, schema]),
    ),
  }
}

export function isTable(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_SHOWN = 60

/** Describes a value in a message: short texts and numbers as they are. */
export function spellValue(value: Plain | undefined): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isTable(value)) return 'a table'
  const text = formatManifestValue(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
