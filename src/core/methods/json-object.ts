import { z } from 'zod'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** A JSON object, passed through unchanged: no key is dropped, not even `__proto__`. */
export const jsonObject = z
  .unknown()
  .refine(isJsonObject, { error: 'Invalid input: expected object' })
  .meta({ type: 'object' }) as unknown as z.ZodType<PlainObject, PlainObject>

/** A JSON object in a result. */
export const plainRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<PlainObject>

/** Types an array schema as readonly, so that callers may pass constant arrays. */
export function toReadonlySchema<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<Readonly<z.output<Schema>>, Readonly<z.input<Schema>>> {
  return schema as never
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
