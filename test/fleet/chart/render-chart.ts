import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'

export const CHART = 'deploy/helm/skills-fleet'
/** Libraries of Go from Debian. */
const LIBRARIES = '/usr/share/gocode'
const NEEDED = ['src/github.com/Masterminds/sprig', 'src/sigs.k8s.io/yaml']

type Values = Record<string, unknown>

/** An object of Kubernetes; its parts are those of the chart's kinds. */
export interface KubernetesObject {
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> }
  spec: {
    replicas?: number
    serviceName?: string
    selector?: Selector & Record<string, unknown>
    podSelector?: Selector
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec }
    [key: string]: unknown
  }
}

interface Selector {
  matchLabels?: Record<string, string>
}

export interface PodSpec {
  terminationGracePeriodSeconds: number
  initContainers: ContainerSpec[]
  containers: ContainerSpec[]
  volumes: { name: string; [source: string]: unknown }[]
  [key: string]: unknown
}

export interface ContainerSpec {
  name: string
  image: string
  args: string[]
  env: { name: string; value?: string; valueFrom?: object }[]
  volumeMounts: { name: string; mountPath: string }[]
  startupProbe?: { httpGet?: { path: string }; exec?: { command: string[] } }
  readinessProbe?: { httpGet: { path: string } }
  livenessProbe?: { httpGet: { path: string } }
  securityContext: Record<string, unknown>
}

/** The schema of the values, of which those of the chart are the defaults. */
export function readValuesSchema(): z.ZodType {
  const text = readFileSync(join(CHART, 'values.schema.json'), 'utf8')
  return z.fromJSONSchema(JSON.parse(text) as z.core.JSONSchema.Schema)
}

export function readValues(): Values {
  return parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values
}

/** The package that the renderer needs and this machine does not have. */
export function findMissingPackage(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'golang-go'
  const [sprig = '', yaml = ''] = NEEDED.map((path) => join(LIBRARIES, path))
  if (!existsSync(sprig)) return 'golang-github-masterminds-sprig-dev'
  return existsSync(yaml) ? undefined : 'golang-k8s-sigs-yaml-dev'
}

/** Values of a release over those of the chart. Objects are merged, lists are replaced. */
export function mergeValues(base: Values, over: Values): Values {
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? mergeValues(before, value) : value
  }
  return merged
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Builds the renderer once for the tests of a file. */
export function useRenderer(): (values?: Values) => KubernetesObject[] {
  let program: string | undefined
  const folder = mkdtempSync(join(tmpdir(), 'skills-chart-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (over = {}) => {
    program ??= buildRenderer(folder)
    return render(program, mergeValues(readValues(), over))
  }
}

function buildRenderer(folder: string): string {
  const program = join(folder, 'render')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: LIBRARIES, GOFLAGS: '' }
  const built = spawnSync('go', ['build', '-o', program, 'test/fleet/chart/render.go'], { env })
  if (built.status !== 0) throw new Error(String(built.stderr))
  return program
}

function render(program: string, values: Values): KubernetesObject[] {
  const { name, version, appVersion } = parse(
    readFileSync(join(CHART, 'Chart.yaml'), 'utf8'),
  ) as Record<string, string>
  const data = {
    Values: values,
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: 'skills', Namespace: 'agents', Service: 'Helm' },
  }
  const input = JSON.stringify({ folder: join(CHART, 'templates'), data })
  const { status, stdout, stderr } = spawnSync(program, { input })
  if (status !== 0) throw new Error(String(stderr))
  const texts = Object.values(JSON.parse(String(stdout)) as Record<string, string>)
  return texts.flatMap((text) => parseObjects(text))
}

function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`)
    const object = document.toJS() as KubernetesObject | null
    return object === null ? [] : [object]
  })
}
