// @module-tag slow
import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { Runtime } from '../../../../src/core/runtime.ts'
import { createControlGroup } from '../../../../src/core/sandbox/cgroups/cgroup.ts'
import { buildMain, buildShellArgv, createRuntimeIn, runProgram, runPython } from '../run-warm.ts'
import { openKernels } from '../kernels/in-kernel.ts'
import { createFolder } from '../../../helpers/skills.ts'

const MIB = 1024 ** 2
const tried = createControlGroup('use-test', { memoryBytes: 64 * MIB, processes: 8 })
const countsPeak = tried?.peakMemoryBytes?.() !== undefined
await tried?.remove()
const whyNot = countsPeak ? '' : ' (not run: no control group counts memory here)'

async function readRecord(runtime: Runtime, id: string): Promise<RunRecord> {
  return await (await runtime.runs()).get(id)
}

function listNames({ phases = [] }: RunRecord): string[] {
  return phases.map(({ name }) => name)
}

describe('the phases of a record', () => {
  it('are those of the run in order, without the phase that writes the record', async () => {
    const { runtime, run_id } = await runPython(buildMain('time.sleep(0.2)'))
    const record = await readRecord(runtime, run_id)
    const names = ['resolve', 'policy', 'wait', 'begin', 'stage', 'channel', 'collect']
    expect(listNames(record)).toEqual(names)
    const channel = record.phases?.find(({ name }) => name === 'channel')
    expect(channel?.ms).toBeGreaterThan(190)
  })

  it('begin when the entry point received the call', async () => {
    const now = performance.now()
    const times = { receivedAt: now - 5000, readAt: now - 3000 }
    const { runtime, run_id } = await runPython(buildMain('return 1'), { call: { times } })
    const { phases = [] } = await readRecord(runtime, run_id)
    expect(phases[0]).toEqual({ name: 'parse', ms: 2000 })
    expect(phases[1]?.ms).toBeGreaterThan(2999)
  })

  it('are reported to the entry point as they begin', async () => {
    const begun: string[] = []
    const onEvent = (event: RunEvent) => {
      if (event.type === 'phase') begun.push(event.name)
    }
    await runPython(buildMain('return 1'), { call: { onEvent } })
    expect(begun).toEqual(['policy', 'wait', 'begin', 'stage', 'channel', 'collect', 'record'])
  })

  it('of a refused run end with its policy', async () => {
    const data = createFolder()
    const settings = { 'run.backend': 'process', 'run.require_isolation': 'strict' }
    await expect(runPython(buildMain('return 1'), { data, settings })).rejects.toThrow()
    const { runs } = await (await (await createRuntimeIn(data)).runs()).list()
    expect(runs[0]?.use).toBeNull()
    expect(listNames(runs[0] as RunRecord)).toContain('stage')
    expect(listNames(runs[0] as RunRecord)).not.toContain('channel')
  })

  it('are absent while the run is active', async () => {
    const data = createFolder()
    const reader = await (await createRuntimeIn(data)).runs()
    const seen: RunRecord[] = []
    await runProgram(buildShellArgv('sleep 0.2'), {
      data,
      during: async ({ runId }) => void seen.push(await reader.get(runId)),
    })
    expect(seen[0]?.status).toBe('running')
    expect(seen[0]).not.toHaveProperty('phases')
    expect(seen[0]).not.toHaveProperty('use')
  })
})

describe('the use in a record', () => {
  it.skipIf(!countsPeak)(`is what the sandbox measured${whyNot}`, async () => {
    const code = buildMain(
      [
        'x = bytearray(48 << 20)',
        'open("/workspace/a", "wb").write(b"x" * (3 << 20))',
        'print("y" * 1000)',
        'sum(range(5_000_000))',
      ].join('\n'),
    )
    const { runtime, run_id } = await runPython(code)
    const { use } = await readRecord(runtime, run_id)
    expect(use?.memory_bytes).toBeGreaterThan(50 * MIB)
    expect(use?.memory_bytes).toBeLessThan(200 * MIB)
    expect(use?.cpu_ms).toBeGreaterThan(10)
    expect(use?.workspace_bytes).toBe(3 * MIB)
    expect(use?.output_bytes).toBe(1001)
    expect(use?.network_bytes).toBeNull()
  })

  it('counts all output of a run that the limit ended', async () => {
    const settings = { 'run.limits.output': 10_000 }
    const { runtime, run_id } = await runPython(buildMain('while True: print("y" * 99)'), {
      settings,
    })
    const { use } = await readRecord(runtime, run_id)
    expect(use?.output_bytes).toBeGreaterThan(10_000)
  })

  it('has null for what is counted only for a sandbox that other runs share', async () => {
    const { runtime, python } = await openKernels()
    const { run_id } = await python('print(1)')
    const { use } = await readRecord(runtime, run_id)
    expect(use).toMatchObject({ memory_bytes: null, processes: null, workspace_bytes: null })
    expect(use?.output_bytes).toBe(2)
  })

  it('of a program counts both streams', async () => {
    const { runtime, runId } = await runProgram(buildShellArgv('echo out; echo error >&2'))
    expect((await readRecord(runtime, runId)).use?.output_bytes).toBe(10)
  })
})
