// @module-tag slow
// @module-tag nightly
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CONFIG_KEYS, getVariableName } from '../../../src/core/config/keys.ts'
import { checkCommandLine } from '../../docs/command-line.ts'
import {
  CHART,
  findMissingPackage,
  mergeValues,
  readValues,
  readValuesSchema,
  useRenderer,
  type ContainerSpec,
  type KubernetesObject,
  type PodSpec,
} from './render-chart.ts'

const missing = findMissingPackage()
const whyNot =
  missing === undefined ? '' : ` (not run: the chart is rendered with ${missing}: see .ci/run)`

/** Every value that adds something to the chart. */
const FULL = {
  imagePullSecrets: [{ name: 'pull' }],
  engine: { servers: ['tls://a:4222', 'tls://b:4222'], tenant: 'one' },
  secrets: {
    ca: 'ca',
    key: 'key',
    tokens: 'tokens',
    values: 'values',
    seeds: { operator: 'operator', front: 'front', workers: 'workers' },
  },
  configMap: 'settings',
  init: { replicas: 3 },
  front: {
    allowedHosts: ['skills.example.com'],
    allowNetwork: true,
    env: [{ name: 'SKILLS_RUN_MAX_WAITING', value: '32' }],
    service: { type: 'LoadBalancer', annotations: { a: 'b' }, sessionAffinity: 'ClientIP' },
    autoscaling: { enabled: true },
    podAnnotations: { a: 'b' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'skills', operator: 'Exists' }],
  },
  worker: {
    allowNetwork: true,
    env: [{ name: 'SKILLS_RUN_TIMEOUT', value: '2m' }],
    storage: { size: '10Gi', className: 'fast' },
    hostUsers: false,
    podAnnotations: { a: 'b' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'skills', operator: 'Exists' }],
  },
  pools: { default: {}, gpu: { replicas: 1, slots: 1, nodeSelector: { gpu: 'yes' } } },
  networkPolicy: {
    callers: [{ podSelector: {} }],
    frontEgress: [{ ports: [{ port: 4318 }] }],
    workerEgress: [{ ports: [{ port: 443 }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, token: { secret: 'scrape' } },
}

const schema = readValuesSchema()
const VARIABLES = new Set(CONFIG_KEYS.map((each) => getVariableName(each)))

describe('the chart', () => {
  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as object
    expect(chart).toMatchObject({ version, appVersion: version })
  })

  it.each([
    ['its own values', {}],
    ['all values', FULL],
  ])('has a schema that accepts %s', (_name, over) => {
    expect(schema.safeParse(mergeValues(readValues(), over)).error).toBeUndefined()
  })

  it.each<[string, object]>([
    ['a number as text', { front: { replicas: '2' } }],
    ['text as a list', { engine: { servers: 'tls://a:4222' } }],
    ['an address without a protocol', { engine: { servers: ['a:4222'] } }],
    ['an unknown value', { front: { replica: 2 } }],
    ['an unknown value of a pool', { pools: { gpu: { slot: 2 } } }],
    ['too many replicas of streams', { init: { replicas: 6 } }],
  ])('has a schema that refuses %s', (_name, over) => {
    const values = mergeValues(readValues(), over as Record<string, unknown>)
    expect(schema.safeParse(values).success).toBe(false)
  })
})

function getPod({ spec }: KubernetesObject): PodSpec {
  if (!spec.template) throw new Error('expected a template of pods')
  return spec.template.spec
}

describe.skipIf(missing !== undefined).each([
  ['its own values', {}],
  ['all values', FULL],
])(`the chart with %s${whyNot}`, (_name, over) => {
  const renderObjects = useRenderer()
  let rendered: KubernetesObject[] | undefined
  const objects = () => (rendered ??= renderObjects(over))
  const listPods = () => objects().filter(({ spec }) => spec.template)
  const listContainers = (): ContainerSpec[] =>
    listPods().flatMap((each) => getPod(each).containers)

  it('has objects with different names', () => {
    const names = objects().map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining([
        'Job/skills-init',
        'Deployment/skills-front',
        'Service/skills-front',
        'PodDisruptionBudget/skills-front',
        'StatefulSet/skills-worker-default',
        'Service/skills-worker-default',
        'PodDisruptionBudget/skills-worker-default',
        'NetworkPolicy/skills-node',
        'NetworkPolicy/skills-front',
      ]),
    )
  })

  it('sets variables of settings that exist', () => {
    const names = listContainers().flatMap(({ env }) => env.map(({ name }) => name))
    expect(names.length).toBeGreaterThan(6)
    for (const name of names.filter((each) => each !== 'HOME')) expect(VARIABLES).toContain(name)
  })

  it('starts commands that exist', async () => {
    for (const { args } of listContainers()) {
      const line = `skills ${args.join(' ')}`.replaceAll('=', ' ')
      expect(
        await checkCommandLine(line.replace('$(SKILLS_FLEET_SERVERS)', 'tls://a')),
      ).toBeUndefined()
    }
  })

  it('selects its own pods', () => {
    const pods = listPods().map(({ spec }) => spec.template?.metadata.labels ?? {})
    for (const { kind, metadata, spec } of objects()) {
      const selector = (spec.podSelector ?? spec.selector) as Record<string, unknown> | undefined
      if (!selector || kind === 'ServiceMonitor') continue
      const labels = (selector['matchLabels'] ?? selector) as Record<string, string>
      const selected = pods.filter((each) =>
        Object.entries(labels).every(([key, value]) => each[key] === value),
      )
      const isShared = metadata.name === 'skills-node'
      const isOfPools = kind === 'NetworkPolicy' && metadata.name === 'skills-worker'
      if (isShared) expect(selected).toEqual(pods)
      else if (isOfPools) expect(selected).toHaveLength(2)
      else expect(selected, `${kind}/${metadata.name}`).toHaveLength(1)
    }
  })

  it('mounts volumes that exist', () => {
    for (const object of listPods()) {
      const { volumes, containers, initContainers } = getPod(object)
      const claims = (object.spec['volumeClaimTemplates'] ?? []) as KubernetesObject[]
      const names = [
        ...volumes.map(({ name }) => name),
        ...claims.map(({ metadata }) => metadata.name),
      ]
      expect(new Set(names).size).toBe(names.length)
      for (const { volumeMounts } of [...containers, ...initContainers])
        for (const { name } of volumeMounts) expect(names).toContain(name)
    }
  })

  it('gives pods the time that their runs have', () => {
    for (const object of listPods().filter(({ kind }) => kind !== 'Job')) {
      const { containers, terminationGracePeriodSeconds: time } = getPod(object)
      const grace = Number(/--grace=(\d+)s/.exec(containers[0]?.args.join(' ') ?? '')?.[1])
      expect(time).toBeGreaterThan(object.kind === 'StatefulSet' ? 2 * grace : grace + 5)
    }
  })

  it('names the Service of each StatefulSet', () => {
    for (const { spec } of objects().filter(({ kind }) => kind === 'StatefulSet')) {
      const service = objects().find(
        ({ kind, metadata }) => kind === 'Service' && metadata.name === spec.serviceName,
      )
      expect(service?.spec['clusterIP']).toBe('None')
    }
  })
})

describe.skipIf(missing !== undefined)(`values of the chart${whyNot}`, () => {
  const renderObjects = useRenderer()

  it('are merged for each pool', () => {
    const sets = renderObjects(FULL).filter(({ kind }) => kind === 'StatefulSet')
    const facts = sets.map(({ metadata, spec }) => [metadata.name, spec.replicas])
    expect(facts).toEqual([
      ['skills-worker-default', 2],
      ['skills-worker-gpu', 1],
    ])
    const [first, second] = sets.map((each) => getPod(each))
    expect(first?.['nodeSelector']).toEqual({ disk: 'ssd' })
    expect(second?.['nodeSelector']).toEqual({ disk: 'ssd', gpu: 'yes' })
  })

  it('leave the number of fronts to the autoscaler', () => {
    const find = (objects: KubernetesObject[]) => objects.find(({ kind }) => kind === 'Deployment')
    expect(find(renderObjects())?.spec.replicas).toBe(2)
    const objects = renderObjects(FULL)
    expect(find(objects)?.spec.replicas).toBeUndefined()
    expect(objects.map(({ kind }) => kind)).toContain('HorizontalPodAutoscaler')
  })

  it.each<[string, object]>([
    ['twice graceSeconds', { worker: { graceSeconds: 90 } }],
    ['drainSessionsSeconds', { worker: { drainSessionsSeconds: 600 } }],
    ['front.graceSeconds', { front: { graceSeconds: 55 } }],
    ['is too long', { pools: { 'a-pool-with-a-long-name': {} } }],
    ['names the Secret with a token', { serviceMonitor: { enabled: true } }],
  ])('are refused with a reason: %s', (reason, over) => {
    expect(() => renderObjects(over as Record<string, unknown>)).toThrow(reason)
  })

  it('remove parts that are not enabled', () => {
    const off = { init: { enabled: false }, networkPolicy: { enabled: false } }
    const kinds = renderObjects(off).map(({ kind }) => kind)
    expect(kinds).not.toContain('Job')
    expect(kinds).not.toContain('NetworkPolicy')
  })
})
