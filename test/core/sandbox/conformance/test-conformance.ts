import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BACKEND_CHOICES } from '../../../../src/core/config/run-keys.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { Backend, ContainerSettings } from '../../../../src/core/sandbox/backend.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { BackendName } from '../../../../src/core/sandbox/isolation.ts'
import { findGaps, selectAttacks, type Matrix } from '../../../helpers/matrix.ts'
import { createFolder } from '../../../helpers/skills.ts'
import type { ActionRun } from '../../runs/run-action.ts'
import { buildMain, runPython, createRuntimeIn } from '../../runs/run-python.ts'
import type { ConformanceCase, CaseRequirement } from './case.ts'
import { OUTCOME_CASES } from './outcomes.ts'
import { ENVIRONMENT_CASES } from './environment.ts'

/** A backend, and the way in which its runs start. */
export interface ConformanceRow extends Pick<ContainerSettings, 'engine' | 'runtime'> {
  title: string
  name: BackendName
  path: 'cold' | 'warm'
}

const CASES = [...OUTCOME_CASES, ...ENVIRONMENT_CASES]
const FORKING: ReadonlySet<BackendName> = new Set(['namespaces', 'bubblewrap'])
const CONTAINERS: readonly ConformanceRow[] = [
  { title: 'podman', name: 'container', engine: 'podman', runtime: 'default', path: 'cold' },
  {
    title: 'podman with gVisor',
    name: 'container',
    engine: 'podman',
    runtime: 'runsc',
    path: 'cold',
  },
  { title: 'docker', name: 'container', engine: 'docker', runtime: 'default', path: 'cold' },
]

export const CONFORMANCE_ROWS: readonly ConformanceRow[] = BACKEND_CHOICES.filter(
  (name): name is BackendName => name !== 'auto',
).flatMap((name) => (name === 'container' ? CONTAINERS : listPaths(name)))

function listPaths(name: BackendName): readonly ConformanceRow[] {
  const cold = { title: name, name, engine: 'auto', runtime: 'default', path: 'cold' } as const
  return FORKING.has(name) ? [cold, { ...cold, title: `${name}, by forks`, path: 'warm' }] : [cold]
}

const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  DOCKER_HOST: process.env['DOCKER_HOST'],
  CANARY: 'of the host',
}

/**
 * Tests a covering selection of cases on these backends, each case on each backend and by each path. Names the backends
 * that cannot run on this machine.
 */
export async function testConformance(rows: readonly ConformanceRow[]): Promise<void> {
  const probed = await Promise.all(
    rows.map(async (row) => {
      const sandboxes = new Sandboxes({ backend: row.name })
      const { engine, runtime } = row
      const backend = await sandboxes.openBackend(row.name)
      const here = await backend.probe(env, { engine, runtime, image: undefined })
      return { ...row, sandboxes, backend, here }
    }),
  )
  const matrix: Matrix<ConformanceCase, (typeof probed)[number]> = {
    attacks: CASES,
    subjects: probed.filter(({ here }) => here.ok),
    name: ({ name }) => name,
    describe: ({ name, engine, runtime, path }) => ({
      backend: `${name} ${engine} ${runtime}`,
      path,
    }),
    applies: ({ needs }, { backend }) => isGuaranteed(backend, needs),
  }
  const selected = selectAttacks(matrix)
  const server = createServer((socket) => socket.end())
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    for (const { path, sandboxes } of probed) {
      if (path === 'warm') await (await sandboxes.keepWarm({ cwd: '/', env })).waitUntilSettled()
    }
  })
  afterAll(async () => {
    server.close()
    for (const { sandboxes } of probed) await sandboxes.stop()
  })

  it('each case runs on each backend and by each path', () => {
    expect(findGaps(matrix, selected)).toEqual([])
  })

  describe.each(probed)('the backend $title', (which) => {
    const { backend, here } = which
    const whyNot = here.ok ? '' : ` (not run: ${here.detail})`
    const run = async (test: ConformanceCase) =>
      await runCase(which, test, (server.address() as AddressInfo).port)

    it.skipIf(!here.ok).each(selected.get(which) ?? CASES)(
      `$name${whyNot}`,
      async (test) => {
        if (test.throws !== undefined) {
          await expect(run(test)).rejects.toMatchObject({ code: test.throws })
          return
        }
        const { result, events, kept } = await run(test)
        expect(result.isolation?.kernel).toBe(which.runtime === 'runsc' ? 'gvisor' : undefined)
        if (test.needs && 'isolates' in test.needs) expect(result.output).toBe(false)
        expect(result).toMatchObject(test.gives ?? { status: 'completed' })
        await test.check?.(result, { backend, events, kept })
      },
      60_000,
    )

    // If no backend guaranteed a block, it could pass without one; the backend that allows the
    // probe shows that it works.
    const open = CASES.filter(
      ({ needs, without }) =>
        needs && !isGuaranteed(backend, needs) && ('isolates' in needs || without !== undefined),
    )
    it.skipIf(!here.ok || open.length === 0).each(open)(
      `does not guarantee and does not enforce: $name${whyNot}`,
      async (test) => {
        const { result } = await run(test)
        expect(result).toMatchObject(test.without ?? { output: true })
      },
    )
  })
}

function isGuaranteed({ guarantees }: Backend, need: CaseRequirement | undefined): boolean {
  if (need === undefined) return true
  return 'isolates' in need
    ? guarantees.isolates[need.isolates]
    : guarantees.limits[need.limits] === need.over
}

/** Resources of the host that isolation must keep from a run. */
function listHostResources(data: string, port: number) {
  return { file: join(data, 'host.txt'), port, pid: process.pid, uid: process.getuid?.() ?? 0 }
}

async function runCase(
  {
    backend,
    engine,
    runtime: program,
    path,
    sandboxes,
  }: ConformanceRow & { backend: Backend; sandboxes: Sandboxes },
  test: ConformanceCase,
  hostPort: number,
) {
  const data = createFolder({ 'host.txt': 'of the host' })
  const events: RunEvent[] = []
  const controller = new AbortController()
  const kept = join(data, 'kept')
  const runtime = await createRuntimeIn(data)
  const blob =
    test.blob === undefined
      ? undefined
      : (await runtime.createBlob({ content: test.blob, kind: 'text/plain' })).blob_id
  const call: ActionRun['call'] = {
    env,
    signal: controller.signal,
    grants: { secrets: new Map(Object.entries(test.secrets ?? {})) },
    ...(test.keeps && { keepIn: kept }),
    onEvent: (event) => {
      events.push(event)
      if (test.cancelAt === undefined || event.type !== 'log') return
      if (event.text.includes(test.cancelAt)) controller.abort()
    },
  }
  await sandboxes.pool?.waitUntilSettled()
  const result = await runPython(buildMain(test.code), {
    timeoutMs: 30_000,
    ...test.options,
    data,
    sandboxes: path === 'warm' ? sandboxes : undefined,
    ...(blob !== undefined && { blobs: [blob] }),
    args: { ...listHostResources(data, hostPort), blob: blob ?? null, ...test.options?.args },
    settings: {
      'run.backend': backend.name,
      'run.container.engine': engine,
      'run.container.runtime': program,
      ...test.options?.settings,
    },
    call,
  })
  const used = result.isolation ?? { path, reason: undefined }
  expect(used.path, used.reason).toBe(path)
  return { result, events, kept }
}
