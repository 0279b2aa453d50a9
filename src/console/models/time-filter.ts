const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * Reads a time as the command line does: a date, a time, or a duration before now such as `2h`. Null if
 * it is neither; undefined if there is none.
 */
export function parseTimeFilter(text: string, now: number): string | null | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(trimmed) ?? []
  const size = UNITS[unit.toLowerCase()]
  if (count !== undefined) return size === undefined ? null : toIso(now - Number(count) * size)
  return /^\d{4}-\d{2}-\d{2}/.test(trimmed) ? toIso(Date.parse(trimmed)) : null
}

function toIso(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
