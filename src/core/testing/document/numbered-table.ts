import {
  countField,
  requiredField,
  tableField,
  type Field,
  type FieldTable,
  type FieldValues,
} from './field.ts'

/** A whole number from 1, which a table needs. */
export function numberField(description: string): Field<number> {
  const field = requiredField(countField(description))
  return {
    ...field,
    schema: { ...field.schema, minimum: 1 },
    read: (value, place) =>
      value === 0
        ? place.refuse('Expected a whole number from 1, got 0')
        : field.read(value, place),
  }
}

/** A table with a number, and with at least one condition on the thing that the number names. */
export function numberedTableField<Table extends FieldTable>(
  description: string,
  fields: Table,
): Field<FieldValues<Table>> {
  const field = tableField(description, fields)
  const conditions = Object.keys(fields).filter((name) => !fields[name]?.isRequired)
  return {
    ...field,
    schema: { ...field.schema, minProperties: 2 },
    read(value, place) {
      const before = place.problemCount
      const values = field.read(value, place)
      if (!values || place.problemCount > before) return undefined
      if (Object.keys(values).length > 1) return values
      return place.refuse(`Expected at least one of ${conditions.join(', ')}`, {
        help: 'A number without a condition checks nothing',
      })
    },
  }
}
