import { invalidParamError } from '../../../errors.ts'
import { matchesQuery } from './match-query.ts'
import type { RunRecord } from './run-record.ts'
import type { RunPage, RunQuery } from './run-store.ts'

const DEFAULT_LIMIT = 50

/**
 * Collects the page of a query from records that are read in the order of the list. `encodeCursor`
 * names the position of a record, after which the next page begins.
 */
export async function collectPage<T extends { record: RunRecord }>(
  read: AsyncIterable<T>,
  query: RunQuery,
  encodeCursor: (run: T) => string,
): Promise<RunPage> {
  const { limit = DEFAULT_LIMIT, maxRead = Infinity } = query
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw invalidParamError('limit', `expected a whole number of at least 1, got ${limit}`)
  }
  const buildPage = (runs: readonly T[], last: T | undefined): RunPage => ({
    runs: runs.map(({ record }) => record),
    next_cursor: last ? encodeCursor(last) : null,
  })
  const runs: T[] = []
  let readCount = 0
  for await (const each of read) {
    if (matchesQuery(each.record, query)) runs.push(each)
    if (runs.length > limit) return buildPage(runs.slice(0, limit), runs[limit - 1])
    readCount += 1
    if (readCount >= maxRead) {
      return { ...buildPage(runs, each), read_until: each.record.started_at }
    }
  }
  return buildPage(runs, undefined)
}
