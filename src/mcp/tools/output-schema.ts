type OutputSchema = Readonly<Record<string, unknown>>

/** Under which a result stands that is no object, as results of tools have to be. */
export const RESULT_KEY = 'result'

/** The schema of what a tool answers, as an object's. */
export function toOutputSchema(schema: OutputSchema): OutputSchema {
  if (schema['type'] === 'object') return schema
  const { $schema, ...rest } = schema
  return { $schema, type: 'object', properties: { [RESULT_KEY]: rest }, required: [RESULT_KEY] }
}
