import { z } from 'zod'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** Any JSON object, handed on as it came: no key is dropped, `__proto__` included. */
export const jsonObject = z
  .unknown()
  .refine(isJsonObject, { error: 'Invalid input: expected object' })
  .meta({ type: 'object' }) as unknown as z.ZodType<PlainObject, PlainObject>

/** A JSON object in a result. */
export const plainRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<PlainObject>

/** The same schema for a type that leaves an array as it is, so that callers may give a constant one. */
export function toReadonlySchema<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<Readonly<z.output<Schema>>, Readonly<z.input<Schema>>> {
  return schema as never
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
