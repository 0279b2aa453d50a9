import type { ObjectRef, Objects } from '../objects/objects.ts'

/** A JSON value inside a message, or as an object if it is too large for one. */
export type StoredValue<T> = { inline: T } | { object: ObjectRef }

/** Stores a value as an object if its JSON has more bytes than the maximum. */
export async function storeValue<T>(
  value: T,
  maxBytes: number,
  objects: Objects,
): Promise<StoredValue<T>> {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= maxBytes) return { inline: value }
  return { object: await objects.write(Buffer.from(text)) }
}

export async function loadValue<T>(stored: StoredValue<T>, objects: Objects): Promise<T> {
  if ('inline' in stored) return stored.inline
  return JSON.parse((await objects.readAll(stored.object)).toString()) as T
}

/** Returns the objects of some values. */
export function listObjects(values: readonly StoredValue<unknown>[]): ObjectRef[] {
  return values.flatMap((value) => ('object' in value ? [value.object] : []))
}
