// @module-tag slow
// @module-tag nightly
import { beforeAll, describe, expect, it } from 'vitest'
import { useTwoServers } from '../front/two-servers.ts'
import { listLabels, listMetricNames, readDashboard, readRules } from './read-expressions.ts'

const servers = useTwoServers()
const PYTHON = 'def main(args):\n    return {}\n'
/** Labels that Prometheus adds. */
const ADDED = ['job', 'instance']

const types = new Map<string, string>()
let text = ''

beforeAll(async () => {
  const params = { language: 'python', code: PYTHON, args: {} }
  await servers.current.call(1, 'run_code', { params })
  text = await (await servers.current.fetch(1, '/metrics')).text()
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    types.set(name, type)
})

/** The metric that has a series, such as the buckets of a histogram. */
function findMetric(series: string): string | undefined {
  if (types.has(series)) return types.get(series) === 'histogram' ? undefined : series
  const name = series.replace(/_(?:bucket|sum|count)$/, '')
  return types.get(name) === 'histogram' ? name : undefined
}

function listLabelsOfSeries(series: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${series}{`))
  return lines.flatMap((line) => [...line.matchAll(/([a-z]+)="/g)].map(([, label = '']) => label))
}

it('expressions are read', () => {
  const expression = 'histogram_quantile(0.9, sum by (le, a) (rate(b_bucket{c="d"}[5m]))) > 2 * e'
  expect(listMetricNames(expression)).toEqual(['b_bucket', 'e'])
  expect(listLabels(expression)).toEqual(['le', 'a'])
  expect(findMetric('skills_run_duration_seconds_bucket')).toBe('skills_run_duration_seconds')
  expect(findMetric('skills_run_duration_seconds')).toBeUndefined()
  expect(findMetric('skills_fleet_unknown')).toBeUndefined()
})

describe.each([
  ['grafana.json', readDashboard()],
  ['alerts.yaml', readRules()],
])('%s', (_file, expressions) => {
  it.each(expressions)('$name uses metrics of a front: $expression', ({ expression }) => {
    const names = listMetricNames(expression)
    expect(names).not.toHaveLength(0)
    for (const name of names) expect(findMetric(name), name).toBeDefined()
  })

  it.each(expressions)('$name groups by labels that exist: $expression', ({ expression }) => {
    const known = [...ADDED, ...listMetricNames(expression).flatMap(listLabelsOfSeries)]
    for (const label of listLabels(expression)) expect(known).toContain(label)
  })

  it.each(expressions)('$name has a rate of counters only: $expression', ({ expression }) => {
    const growing = ['counter', 'histogram']
    for (const [, name = ''] of expression.matchAll(/\b(?:rate|increase)\((\w+)/g)) {
      if (name === 'skills_fleet_engine_away_seconds') continue
      expect(growing).toContain(types.get(findMetric(name) ?? ''))
    }
  })
})

it('every metric of the fleet is on the dashboard', () => {
  const shown = new Set(readDashboard().flatMap(({ expression }) => listMetricNames(expression)))
  const names = [...types.keys()].filter((name) => name.startsWith('skills_fleet_'))
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) expect(shown).toContain(name)
})
