import type { Plain } from './manifest.ts'

/** JSON with sorted keys: equal values have equal texts. */
export function toSortedJson(value: Plain): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const entries = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries)
  })
}
