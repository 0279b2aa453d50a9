import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'

/** Filters whose text is a parameter of the method, by their name in the address. */
const TEXT_FILTERS = [
  'event',
  'kind',
  'layer',
  'code',
  'caller',
  'repository',
  'skill',
  'language',
  'rule',
  'run',
  'hash',
] as const

const TIME_FILTERS = ['since', 'until'] as const
export const FILTERS = [...TEXT_FILTERS, ...TIME_FILTERS] as const
export type FilterName = (typeof FILTERS)[number]

export interface ReadFilter {
  params: ListAuditRecordsParams
  problems: Partial<Record<FilterName, string>>
}

/** Reads the filter of an address. A time that cannot be read filters nothing, and is named. */
export function readAuditFilter(search: URLSearchParams, now: number): ReadFilter {
  const params: Record<string, string> = {}
  const problems: ReadFilter['problems'] = {}
  for (const name of TEXT_FILTERS) {
    const text = search.get(name)?.trim()
    if (text) params[name] = text
  }
  for (const name of TIME_FILTERS) {
    const time = parseTimeFilter(search.get(name) ?? '', now)
    if (time === null) problems[name] = 'Write 2h, 2026-11-27 or 2026-11-27T08:00Z'
    else if (time !== undefined) params[name] = time
  }
  return { params, problems }
}

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
