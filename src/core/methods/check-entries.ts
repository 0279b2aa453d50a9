import { z } from 'zod'
import { invalidParamError } from '../../errors.ts'

/** A schema validates all entries of a value in one turn of the event loop. */
const MAX_ENTRIES = 10_000

/**
 * Refuses a list or an object with too many entries before its schema reads them. JSON that is
 * passed through, such as the arguments of a skill, is checked in slices instead.
 */
export function checkEntries(schema: z.core.$ZodType, value: unknown, param = ''): void {
  if (typeof value !== 'object' || value === null) return
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    checkCount(value.length, param)
    for (const [index, item] of value.entries())
      checkEntries(inner.element, item, `${param}.${index}`)
    return
  }
  if (!(inner instanceof z.ZodRecord || inner instanceof z.ZodObject)) return
  checkCount(Object.keys(value).length, param)
  if (!('shape' in inner)) return
  for (const [name, each] of Object.entries(inner.shape)) {
    checkEntries(each, Reflect.get(value, name), param === '' ? name : `${param}.${name}`)
  }
}

function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? unwrapSchema(schema.unwrap()) : schema
}

function checkCount(entries: number, param: string): void {
  if (entries <= MAX_ENTRIES) return
  throw invalidParamError(
    param || 'params',
    `expected at most ${MAX_ENTRIES} entries, got ${entries}`,
  )
}
