type OutputSchema = Readonly<Record<string, unknown>>

/** MCP tool results must be objects; other values are wrapped under this key. */
export const RESULT_KEY = 'result'

/** Converts the schema of a result to an object schema. */
export function toOutputSchema(schema: OutputSchema): OutputSchema {
  if (schema['type'] === 'object') return schema
  return { type: 'object', properties: { [RESULT_KEY]: schema }, required: [RESULT_KEY] }
}
