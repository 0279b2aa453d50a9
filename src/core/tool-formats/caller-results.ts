import type { Method } from '../methods/method.ts'

type JsonFields = Readonly<Record<string, unknown>>

interface SplitResult {
  /** The result without these fields, for a model. */
  value: unknown
  /** Fields for the application and its users; undefined if there are none. */
  details: Record<string, unknown> | undefined
}

/** Separates the fields of a result that cost a model tokens and that it does not need. */
export function splitResult(method: Pick<Method, 'callerResults'>, result: unknown): SplitResult {
  const names = new Set(method.callerResults)
  if (names.size === 0 || typeof result !== 'object' || result === null) {
    return { value: result, details: undefined }
  }
  const fields = Object.entries(result)
  return {
    value: Object.fromEntries(fields.filter(([name]) => !names.has(name))),
    details: Object.fromEntries(fields.filter(([name]) => names.has(name))),
  }
}

/** Removes these fields from the JSON Schema of the result. */
export function hideCallerResults<SchemaObject extends JsonFields>(
  method: Pick<Method, 'callerResults'>,
  schema: SchemaObject,
): SchemaObject {
  const names = new Set(method.callerResults)
  if (names.size === 0) return schema
  const properties = Object.entries((schema['properties'] ?? {}) as JsonFields)
  const required = (schema['required'] ?? []) as readonly string[]
  return {
    ...schema,
    properties: Object.fromEntries(properties.filter(([name]) => !names.has(name))),
    required: required.filter((name) => !names.has(name)),
  }
}
