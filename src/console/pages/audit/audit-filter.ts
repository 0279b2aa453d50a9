import type { ListAuditRecordsParams } from '../../../core/methods/list-audit-records/definition.ts'
import { parseTimeFilter } from '../../models/time-filter.ts'

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

export const TIME_FILTERS = ['since', 'until'] as const
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
