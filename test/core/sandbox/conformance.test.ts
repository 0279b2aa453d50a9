// @module-tag slow
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BACKEND_CHOICES } from '../../../src/core/config/keys.ts'
import type { RunEvent } from '../../../src/core/runs/run-call.ts'
import type { Backend, ContainerSettings } from '../../../src/core/sandbox/backend.ts'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import type { BackendName } from '../../../src/core/sandbox/isolation.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython, createRuntimeIn } from '../runs/run-python.ts'
import type { ConformanceCase, CaseRequirement } from './conformance/case.ts'
import { OUTCOME_CASES } from './conformance/outcomes.ts'
import { ENVIRONMENT_CASES } from './conformance/environment.ts'

const CASES = [...OUTCOME_CASES, ...ENVIRONMENT_CASES]
const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  DOCKER_HOST: process.env['DOCKER_HOST'],
  CANARY: 'of the host',
}

const server = createServer((socket) => socket.end())
let hostPort = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  hostPort = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => server.close())

const FORKING = ['namespaces', 'bubblewrap'] as const
const forking = new Map(FORKING.map((backend) => [backend as string, new Sandboxes({ backend })]))
beforeAll(async () => {
  for (const each of forking.values()) {
    await (await each.keepWarm({ cwd: '/', env })).waitUntilSettled()
  }
})
afterAll(async () => {
  for (const each of forking.values()) await each.stop()
})

const names = BACKEND_CHOICES.filter((name): name is BackendName => name !== 'auto')
type Row = { title: string; name: BackendName } & Pick<ContainerSettings, 'engine' | 'runtime'>
const CONTAINERS: readonly Row[] = [
  { title: 'podman', name: 'container', engine: 'podman', runtime: 'default' },
  { title: 'podman with gVisor', name: 'container', engine: 'podman', runtime: 'runsc' },
  { title: 'docker', name: 'container', engine: 'docker', runtime: 'default' },
]
const rows = names.flatMap((name): readonly Row[] =>
  name === 'container' ? CONTAINERS : [{ title: name, name, engine: 'auto', runtime: 'default' }],
)
const cold = await Promise.all(
  rows.map(async ({ title, name, engine, runtime }) => {
    const backend = await new Sandboxes().openBackend(name)
    const here = await backend.probe(env, { engine, runtime, image: undefined })
    return { name: title, engine, runtime, backend, here, path: 'cold' }
  }),
)
const found = cold.flatMap((each) =>
  forking.has(each.name)
    ? [each, { ...each, name: `${each.name}, by forks`, path: 'warm' }]
    : [each],
)
type Found = (typeof found)[number]

function isGuaranteed({ guarantees }: Backend, need: CaseRequirement | undefined): boolean {
  if (need === undefined) return true
  return 'isolates' in need
    ? guarantees.isolates[need.isolates]
    : guarantees.limits[need.limits] === need.over
}

/** Resources of the host that isolation must keep from a run. */
function listHostResources(data: string) {
  return {
    file: join(data, 'host.txt'),
    port: hostPort,
    pid: process.pid,
    uid: process.getuid?.() ?? 0,
  }
}

async function runCase({ backend, engine, runtime: program, path }: Found, test: ConformanceCase) {
  const data = createFolder({ 'host.txt': 'of the host' })
  const events: RunEvent[] = []
  const controller = new AbortController()
  const kept = join(data, 'kept')
  const runtime = await createRuntimeIn(data)
  const blob =
    test.blob === undefined
      ? undefined
      : (await runtime.createBlob({ content: test.blob, kind: 'text/plain' })).blob_id
  const result = await runPython(buildMain(test.code), {
    timeoutMs: 30_000,
    ...test.options,
    data,
    sandboxes: path === 'warm' ? forking.get(backend.name) : undefined,
    ...(blob !== undefined && { blobs: [blob] }),
    args: { ...listHostResources(data), blob: blob ?? null, ...test.options?.args },
    settings: {
      'run.backend': backend.name,
      'run.container.engine': engine,
      'run.container.runtime': program,
      ...test.options?.settings,
    },
    call: {
      env,
      signal: controller.signal,
      secrets: new Map(Object.entries(test.secrets ?? {})),
      ...(test.keeps && { keepIn: kept }),
      onEvent: (event) => {
        events.push(event)
        if (test.cancelAt === undefined || event.type !== 'log') return
        if (event.text.includes(test.cancelAt)) controller.abort()
      },
    },
  })
  expect(result.isolation?.path ?? path).toBe(path)
  return { result, events, kept }
}

describe.each(found)('the backend $name', (which) => {
  const { backend, here } = which
  const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

  it.skipIf(!here.ok).each(CASES.filter(({ needs }) => isGuaranteed(backend, needs)))(
    `$name${whyNot}`,
    async (test) => {
      if (test.throws !== undefined) {
        await expect(runCase(which, test)).rejects.toMatchObject({ code: test.throws })
        return
      }
      const { result, events, kept } = await runCase(which, test)
      expect(result.isolation?.kernel).toBe(which.runtime === 'runsc' ? 'gvisor' : undefined)
      if (test.needs && 'isolates' in test.needs) expect(result.output).toBe(false)
      expect(result).toMatchObject(test.gives ?? { status: 'completed' })
      await test.check?.(result, { backend, events, kept })
    },
    60_000,
  )

  // If no backend guaranteed a block, it could pass without one; the backend that allows the probe
  // shows that it works.
  const open = CASES.filter(
    ({ needs, without }) =>
      needs && !isGuaranteed(backend, needs) && ('isolates' in needs || without !== undefined),
  )
  it.skipIf(!here.ok || open.length === 0).each(open)(
    `does not guarantee and does not enforce: $name${whyNot}`,
    async (test) => {
      const { result } = await runCase(which, test)
      expect(result).toMatchObject(test.without ?? { output: true })
    },
  )
})
