import type { Steps } from './run-in-slices.ts'

/** V8 takes milliseconds to list more names. */
const MANY_NAMES = 1000

/** Lists the names of an object, and yields if there are many. */
export function* listNames(value: object): Steps<string[]> {
  const names = Object.keys(value)
  if (names.length > MANY_NAMES) yield
  return names
}
