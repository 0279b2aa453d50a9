import type { ListRunHistoryParams } from '../../core/methods/list-run-history/definition.ts'
import { RUN_ENTRY_POINTS, RUN_KIND_NAMES, RUN_STATUS_NAMES } from './run-names.ts'

export type RunFilter = Pick<
  ListRunHistoryParams,
  'status' | 'skill' | 'kind' | 'entry_point' | 'caller' | 'since' | 'until' | 'text'
>

/** Spans of time that a filter offers, in milliseconds. */
export const SPANS: Readonly<Record<string, number>> = {
  '1h': 3_600_000,
  '1d': 86_400_000,
  '7d': 604_800_000,
}

/** Start of a span: whole minutes, so that a page that is drawn again asks the same. */
const MINUTE = 60_000

/** The filter that an address describes. Values that no run can have are left out. */
export function readFilter(search: URLSearchParams, now = Date.now()): RunFilter {
  const status = RUN_STATUS_NAMES.find((each) => each === search.get('status'))
  const kind = RUN_KIND_NAMES.find((each) => each === search.get('kind'))
  const entryPoint = RUN_ENTRY_POINTS.find((each) => each === search.get('from'))
  const span = SPANS[search.get('last') ?? '']
  const since =
    span === undefined
      ? readTime(search.get('since'))
      : new Date(Math.floor((now - span) / MINUTE) * MINUTE).toISOString()
  const until = readTime(search.get('until'))
  return {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(entryPoint && { entry_point: entryPoint }),
    ...readParameter(search, 'skill'),
    ...readParameter(search, 'caller'),
    ...readParameter(search, 'text'),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

function readParameter(search: URLSearchParams, name: 'skill' | 'caller' | 'text') {
  const value = search.get(name)?.slice(0, 1000) ?? ''
  return value === '' ? {} : { [name]: value }
}

function readTime(text: string | null): string | undefined {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
