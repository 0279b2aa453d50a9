type Labels = Readonly<Record<string, string>>

/** A value that is read when metrics are rendered. */
type Gauge = () => number | Promise<number>

/**
 * Limits the values of one label, because some come from callers. Further values are counted as
 * "other".
 */
const MAX_SERIES = 500
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Counters and histograms in Prometheus text format. */
export interface Metrics {
  count(name: string, labels: Labels, amount?: number): void
  observe(name: string, labels: Labels, seconds: number): void
  /** Renders all metrics. */
  render(): Promise<string>
}

interface Histogram {
  labels: Labels
  counts: number[]
  sum: number
  total: number
}

/** Help texts of all metrics by name; other names are not rendered. */
interface MetricNames {
  counters: Readonly<Record<string, string>>
  histograms: Readonly<Record<string, string>>
  gauges: Readonly<Record<string, { help: string; labels?: Labels; read: Gauge }>>
}

export function makeMetrics(names: MetricNames): Metrics {
  const counters = new Map<string, Map<string, { labels: Labels; value: number }>>()
  const histograms = new Map<string, Map<string, Histogram>>()
  return {
    count(name, labels, amount = 1) {
      findSeries(counters, name, labels, () => ({ labels, value: 0 })).value += amount
    },
    observe(name, labels, seconds) {
      const start = (): Histogram => ({ labels, counts: BUCKETS.map(() => 0), sum: 0, total: 0 })
      const series = findSeries(histograms, name, labels, start)
      const at = BUCKETS.findIndex((limit) => seconds <= limit)
      if (at !== -1) series.counts[at] = (series.counts[at] ?? 0) + 1
      series.sum += seconds
      series.total += 1
    },
    async render() {
      const lines: string[] = []
      for (const [name, help] of Object.entries(names.counters)) {
        lines.push(...renderHeader(name, help, 'counter'))
        for (const { labels, value } of counters.get(name)?.values() ?? []) {
          lines.push(renderSample(name, labels, value))
        }
      }
      for (const [name, help] of Object.entries(names.histograms)) {
        lines.push(...renderHeader(name, help, 'histogram'))
        for (const each of histograms.get(name)?.values() ?? [])
          lines.push(...renderHistogram(name, each))
      }
      for (const [name, { help, labels = {}, read }] of Object.entries(names.gauges)) {
        lines.push(...renderHeader(name, help, 'gauge'), renderSample(name, labels, await read()))
      }
      return `${lines.join('\n')}\n`
    },
  }
}

// eslint-disable-next-line max-params -- the nested maps, their two keys and the initial value
function findSeries<Series>(
  all: Map<string, Map<string, Series>>,
  name: string,
  labels: Labels,
  start: () => Series,
): Series {
  let family = all.get(name)
  if (!family) all.set(name, (family = new Map()))
  let key = ''
  for (const label in labels) key += `${labels[label]}\0`
  let series = family.get(key)
  if (!series) family.set(key, (series = start()))
  return series
}

/** Creates a function that passes up to `most` distinct values and maps the rest to "other". */
export function createBoundedLabel(maxValues: number = MAX_SERIES): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= maxValues) return 'other'
    known.add(value)
    return value
  }
}

function renderHeader(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function renderHistogram(name: string, { labels, counts, sum, total }: Histogram): string[] {
  let below = 0
  const lines = BUCKETS.map((limit, at) => {
    below += counts[at] ?? 0
    return renderSample(`${name}_bucket`, { ...labels, le: String(limit) }, below)
  })
  return [
    ...lines,
    renderSample(`${name}_bucket`, { ...labels, le: '+Inf' }, total),
    renderSample(`${name}_sum`, labels, sum),
    renderSample(`${name}_count`, labels, total),
  ]
}

function renderSample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, each]) => `${key}="${escapeLabel(each)}"`)
  return pairs.length === 0 ? `${name} ${value}` : `${name}{${pairs.join(',')}} ${value}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
