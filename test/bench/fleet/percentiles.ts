/** In milliseconds, or as ratios. */
export interface Percentiles {
  p50: number
  p90: number
  p99: number
}

export function computePercentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const pick = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN
  return { p50: pick(0.5), p90: pick(0.9), p99: pick(0.99) }
}
