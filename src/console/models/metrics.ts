/** A value of the server's metrics. */
export interface MetricSample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Parses metrics in the text format of Prometheus. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    return [{ name, labels: parseLabels(labels), value: Number(value) }]
  })
}

function parseLabels(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, key = '', value = '']) => [
    key,
    value.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
  ])
  return Object.fromEntries(pairs) as Record<string, string>
}

/** Value of a metric without labels; undefined if the server has no such metric. */
export function readMetric(samples: readonly MetricSample[], name: string): number | undefined {
  return samples.find((each) => each.name === name)?.value
}

/** A sum of a counter's values by one of its labels, the largest first. */
export interface MetricTotal {
  label: string
  value: number
}

/** Sums the series of a counter that have a label, and leaves out sums of 0. */
export function sumByLabel(
  samples: readonly MetricSample[],
  name: string,
  label: string,
): MetricTotal[] {
  const sums = new Map<string, number>()
  for (const each of samples) {
    const key = each.name === name ? each.labels[label] : undefined
    if (key !== undefined) sums.set(key, (sums.get(key) ?? 0) + each.value)
  }
  return [...sums]
    .map(([key, value]) => ({ label: key, value }))
    .filter(({ value }) => value !== 0)
    .toSorted((a, b) => b.value - a.value)
}

/** Seconds of one call by a label of a histogram: their mean, the slowest first. */
export function averageByLabel(
  samples: readonly MetricSample[],
  name: string,
  label: string,
): MetricTotal[] {
  const counts = new Map(
    sumByLabel(samples, `${name}_count`, label).map((each) => [each.label, each.value]),
  )
  return sumByLabel(samples, `${name}_sum`, label).flatMap((each) => {
    const count = counts.get(each.label)
    return count ? [{ label: each.label, value: each.value / count }] : []
  })
}
