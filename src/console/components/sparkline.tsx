interface SparklineProps {
  values: readonly number[]
  /** Value of the upper edge; by default the largest value. */
  most?: number | undefined
}

const WIDTH = 100
const HEIGHT = 20

/** A line of recent values. The values are text beside it, so the line is decoration. */
export function Sparkline({ values, most = Math.max(1, ...values) }: SparklineProps) {
  const step = WIDTH / Math.max(1, values.length - 1)
  const limit = Math.max(most, Number.MIN_VALUE)
  const points = values.map(
    (value, at) => `${at * step},${HEIGHT - (HEIGHT * Math.min(value, limit)) / limit}`,
  )
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
