import { changeSearch } from '../../app/location.ts'
import { countByTime, describeCounts, type TimeBucket } from '../../models/histogram.ts'
import { formatExactTime } from '../../models/times.ts'

const BUCKETS = 40
const WIDTH = 1000
const HEIGHT = 60

/** Runs over time; failed and refused ones are the lower part of a bar. A bar leads to its span of time. */
export function RunHistogram({
  runs,
}: {
  runs: readonly { started_at: string; status: string }[]
}) {
  const buckets = countByTime(runs, BUCKETS)
  const most = Math.max(1, ...buckets.map(({ total }) => total))
  const sum = (part: 'failed' | 'refused') => buckets.reduce((all, each) => all + each[part], 0)
  const counts = describeCounts({
    total: runs.length,
    failed: sum('failed'),
    refused: sum('refused'),
  })
  const width = WIDTH / BUCKETS
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={`Over time: ${counts}`}
      >
        {buckets.map((bucket, at) => {
          const height = (HEIGHT * bucket.total) / most
          const failedHeight = (HEIGHT * (bucket.failed + bucket.refused)) / most
          return (
            <g key={at} {...(bucket.total > 0 && describeBar(bucket))}>
              <title>{describeBucket(bucket)}</title>
              <rect class="histogram-area" x={at * width} width={width} height={HEIGHT} />
              <rect x={at * width + 2} y={HEIGHT - height} width={width - 4} height={height} />
              <rect
                class="histogram-failed"
                x={at * width + 2}
                y={HEIGHT - failedHeight}
                width={width - 4}
                height={failedHeight}
              />
            </g>
          )
        })}
      </svg>
      <figcaption class="muted">{counts}</figcaption>
    </figure>
  )
}

function describeBucket(bucket: TimeBucket): string {
  const from = formatExactTime(new Date(bucket.from).toISOString())
  return `${describeCounts(bucket)}, from ${from}`
}

/** A bar is a button, for keys as well. */
function describeBar(bucket: TimeBucket) {
  const open = () =>
    changeSearch({
      last: undefined,
      since: new Date(bucket.from).toISOString(),
      until: new Date(Math.ceil(bucket.to)).toISOString(),
    })
  return {
    role: 'button',
    // Names of attributes of SVG are case-sensitive.
    tabindex: 0,
    'aria-label': `Show ${describeBucket(bucket)}`,
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      open()
    },
  } as const
}
