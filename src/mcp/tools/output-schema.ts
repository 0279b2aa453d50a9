type JsonSchema = Readonly<Record<string, unknown>>

/** Under which a result stands that is no object, as results of tools have to be. */
export const WRAPPED = 'result'

/** The schema of what a tool answers, as an object's. */
export function asOutputSchema(schema: JsonSchema): JsonSchema {
  if (schema['type'] === 'object') return schema
  const { $schema, ...rest } = schema
  return { $schema, type: 'object', properties: { [WRAPPED]: rest }, required: [WRAPPED] }
}
