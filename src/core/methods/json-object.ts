import { z } from 'zod'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** Any JSON object, handed on as it came: no key is dropped, `__proto__` included. */
export const jsonObject = z
  .unknown()
  .refine(isObject, { error: 'Invalid input: expected object' })
  .meta({ type: 'object' }) as unknown as z.ZodType<PlainObject>

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
