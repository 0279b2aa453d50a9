/** Runs that started within a span of time. */
export interface TimeBucket {
  from: number
  to: number
  total: number
  failed: number
  refused: number
}

const FAILED = new Set(['failed', 'not_started', 'interrupted'])

/** Counts runs in spans of equal length, from the first to the last one. */
export function countByTime(
  runs: readonly { started_at: string; status: string }[],
  buckets: number,
): TimeBucket[] {
  const times = runs.map(({ started_at }) => Date.parse(started_at))
  if (times.length === 0) return []
  const first = Math.min(...times)
  const size = Math.max(1, (Math.max(...times) - first + 1) / buckets)
  const counted = Array.from({ length: buckets }, (_, at) => ({
    from: first + at * size,
    to: first + (at + 1) * size,
    total: 0,
    failed: 0,
    refused: 0,
  }))
  for (const [at, time] of times.entries()) {
    const bucket = counted[Math.min(buckets - 1, Math.floor((time - first) / size))]
    if (!bucket) continue
    bucket.total += 1
    const status = runs[at]?.status ?? ''
    if (FAILED.has(status)) bucket.failed += 1
    if (status === 'refused') bucket.refused += 1
  }
  return counted
}

/** Counts of some runs as text: `22 runs, 18 failed, 4 refused`. */
export function describeCounts(counts: Pick<TimeBucket, 'total' | 'failed' | 'refused'>): string {
  const { total, failed, refused } = counts
  const parts = [
    `${total} ${total === 1 ? 'run' : 'runs'}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ]
  return parts.join(', ')
}
