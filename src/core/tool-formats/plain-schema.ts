/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [key: string]: unknown }

/** Removes `$schema`, and bounds that a model obeys without reading them, at all levels. */
export function simplifySchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === '$schema' || isObviousBound(key, value)) return []
      return [[key, key === 'enum' || key === 'default' ? value : simplifyNested(value)]]
    }),
  )
}

function simplifyNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplifyNested)
  return typeof value === 'object' && value !== null ? simplifySchema(value as JsonSchema) : value
}

/** Bounds that calls are checked by, and that a model does not choose values by. */
const LENGTHS = new Set(['minLength', 'maxLength', 'maxItems'])

function isObviousBound(key: string, value: unknown): boolean {
  if (key === 'propertyNames') return true
  if (typeof value !== 'number') return false
  if (key === 'minimum') return value <= 1
  return LENGTHS.has(key) || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
}
