/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [key: string]: unknown }

/** Removes `$schema`, and bounds that every integer or name satisfies, at all levels. */
export function simplifySchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === '$schema' || isSafeBound(key, value) || isAnyName(key, value)) return []
      return [[key, key === 'enum' || key === 'default' ? value : simplifyNested(value)]]
    }),
  )
}

function simplifyNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplifyNested)
  return typeof value === 'object' && value !== null ? simplifySchema(value as JsonSchema) : value
}

function isSafeBound(key: string, value: unknown): boolean {
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER
  return key === 'maximum' && value === Number.MAX_SAFE_INTEGER
}

function isAnyName(key: string, value: unknown): boolean {
  return key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}'
}
