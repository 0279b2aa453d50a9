import type { Plain, PlainObject } from './manifest.ts'

export function isPlainObject(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function toPlainObject(value: Plain | undefined): PlainObject {
  return isPlainObject(value) ? value : {}
}
