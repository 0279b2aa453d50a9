// @module-tag slow
// @module-tag nightly
import { resolveStoreLimits } from '../../../../src/core/storage/store-limits.ts'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RunCaller } from '../../../../src/core/runs/run-call.ts'
import { toSkillsError } from '../../../../src/errors.ts'
import { readRecords } from '../../audit/entries.ts'
import { createMemoryRunStore } from '../../../helpers/memory/run-store.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import { createDetachingRuntime } from './detached-runtime.ts'

it('a detached program has the result, record and audit entries of any program', async () => {
  const { data, runtime, call, detach, waitForEnd, readLogs } = await createDetachingRuntime()
  const code = 'echo out; echo err >&2; exit 3'
  const params = { outputMode: 'summary' } as const
  const id = await detach(code, params)
  const run = await waitForEnd(id)
  expect(run).toMatchObject({ run_id: id, status: 'failed', detached: true, exit: { code: 3 } })
  const plain = await runtime.execute({ runtime: 'shell', code, ...params }, call)
  const { status, exitCode, stdoutSummary, stderrSummary } = plain
  expect(run.result).toMatchObject({ status, exitCode, stdoutSummary, stderrSummary })
  expect((await readLogs(id)).split('\n').toSorted()).toEqual(['', 'err', 'out'])
  expect(await (await runtime.runs()).get(id)).toMatchObject({ run_id: id, status: 'failed' })
  const entries = readRecords(join(data, 'audit')).filter(({ run_id: of }) => of === id)
  expect(entries.map(({ event }) => event)).toEqual(['begun', 'ended'])
})

it('logs are read in parts of whole characters, by offsets that stay valid after the end', async () => {
  const { runtime, call, detach, waitForEnd } = await createDetachingRuntime()
  const id = await detach("printf 'äöü€😀%.0s' 1 2 3; sleep 0.3; printf x")
  const parts: string[] = []
  const offsets: number[] = []
  for (let offset = 0; ;) {
    const part = await runtime.readRunLogs({ run_id: id, offset, max_bytes: 16 }, call)
    expect(part.encoding).toBeUndefined()
    if (part.logs !== '') offsets.push(offset)
    parts.push(part.logs)
    offset = part.next_offset
    if (!part.more) break
  }
  expect(parts.join('')).toBe(`${'äöü€😀'.repeat(3)}x`)
  await waitForEnd(id)
  const again = await Promise.all(
    offsets.map(async (offset) => await runtime.readRunLogs({ run_id: id, offset }, call)),
  )
  const whole = Buffer.from(`${'äöü€😀'.repeat(3)}x`)
  expect(again.map(({ logs }) => logs)).toEqual(offsets.map((at) => whole.subarray(at).toString()))
})

it('callers with one name and other principals find no runs of each other', async () => {
  const { runtime, call, detach } = await createDetachingRuntime()
  const start = async (own: RunCaller) => {
    const ownCall = { ...call, caller: { door: 'http', ...own } as const }
    return { call: ownCall, id: await detach('sleep 100', {}, ownCall) }
  }
  const first = await start({ name: 'anonymous', principal: 'address 192.0.2.1' })
  const second = {
    ...first.call,
    caller: { ...first.call.caller, principal: 'address 192.0.2.2' },
  }
  // The local user of an MCP server on standard streams, and a token with the name of that user.
  const local = await start({ principal: userInfo().username, door: 'mcp' })
  const token = { ...local.call, caller: { ...local.call.caller, name: userInfo().username } }
  for (const [{ id }, other] of [
    [first, second],
    [local, token],
  ] as const) {
    const cancelled = runtime.cancelRun({ run_id: id }, other)
    await expect(cancelled).rejects.toMatchObject({ code: 'run/not-found' })
    expect((await runtime.listRuns({}, other)).runs).toEqual([])
  }
  // The control: each finds its own, and the local user all.
  expect((await runtime.listRuns({}, first.call)).runs).toMatchObject([{ run_id: first.id }])
  expect((await runtime.listRuns({}, local.call)).runs).toHaveLength(2)
  for (const { id, call: own } of [first, local]) await runtime.cancelRun({ run_id: id }, own)
})

it('another caller can neither see, read, cancel nor list a run', async () => {
  const { runtime, call, detach } = await createDetachingRuntime()
  const alice = { ...call, caller: { name: 'alice', door: 'http' } as const }
  const id = await detach('sleep 100', {}, alice)
  for (const name of ['mallory', 'anonymous']) {
    const other = { ...call, caller: { name, door: 'http' } as const }
    const attempts = [
      runtime.getRun({ run_id: id }, other),
      runtime.readRunLogs({ run_id: id }, other),
      runtime.cancelRun({ run_id: id }, other),
    ]
    const codes = await Promise.all(
      attempts.map(
        async (each) =>
          await each.then(
            () => 'answered',
            (error) => toSkillsError(error).code,
          ),
      ),
    )
    expect(codes).toEqual(['run/not-found', 'run/not-found', 'run/not-found'])
    expect((await runtime.listRuns({}, other)).runs).toEqual([])
  }
  // The control: its own caller can do all of it.
  expect(await runtime.getRun({ run_id: id }, alice)).toMatchObject({ status: 'running' })
  expect((await runtime.listRuns({}, alice)).runs).toMatchObject([{ run_id: id }])
  expect(await runtime.readRunLogs({ run_id: id }, alice)).toMatchObject({ logs: '', more: true })
  expect(await runtime.cancelRun({ run_id: id }, alice)).toMatchObject({
    status: 'cancelled',
    error: { type: 'run/cancelled' },
  })
})

it('a caller with all its detached runs is refused with a sentence until one ends', async () => {
  const { data, runtime, call, detach } = await createDetachingRuntime({
    'run.max_detached': 1,
  })
  const id = await detach('sleep 100')
  const refused = await detach('true').catch((error: unknown) => toSkillsError(error))
  expect(refused).toMatchObject({
    code: 'run/busy',
    message: 'This caller has 1 detached run already, the maximum of run.max_detached',
  })
  const code = 'def main(args):\n    return 1'
  await expect(runtime.runCode({ language: 'python', code, detach: true }, call)).rejects.toThrow(
    'the maximum of run.max_detached',
  )
  const denied = readRecords(join(data, 'audit')).filter(({ event }) => event === 'denied')
  expect(denied).toMatchObject([
    { kind: 'execute', decision: { code: 'concurrency-limit-reached', layer: 'concurrency' } },
    { kind: 'run_code', decision: { code: 'concurrency-limit-reached', layer: 'concurrency' } },
  ])
  const other = await detach('true', {}, { caller: { name: 'bob', door: 'http' } })
  expect(other).toMatch(/^run_/)
  await runtime.cancelRun({ run_id: id }, call)
  expect(await detach('true')).toMatch(/^run_/)
})

it('a denied program is answered as denied, and leaves no detached run', async () => {
  const { runtime, call } = await createDetachingRuntime({ 'runtime.enabled': false })
  const params = { runtime: 'shell', code: 'true', detach: true } as const
  expect(await runtime.execute(params, call)).toMatchObject({ status: 'denied' })
  expect((await runtime.listRuns({}, call)).runs).toEqual([])
})

it('a runtime with stores of its own refuses to detach', async () => {
  const { runtime, call } = await createDetachingRuntime()
  const store = createMemoryRunStore(resolveStoreLimits(runtime.config).runs)
  const own = createRuntime({ config: runtime.config, stores: { runs: async () => store } })
  const params = { runtime: 'shell', code: 'true', detach: true } as const
  await expect(own.execute(params, call)).rejects.toMatchObject({
    code: 'params/invalid',
    message: 'This runtime cannot detach runs: its stores "runs" exist in this process only',
  })
})

it('a step of a workflow cannot be detached', async () => {
  const { runtime, call } = await createDetachingRuntime()
  const params = { runtime: 'shell', code: 'true', detach: true }
  const { steps } = await runtime.workflow({ steps: [{ method: 'runtime.execute', params }] }, call)
  expect(steps).toMatchObject([{ status: 'failure', code: 'params/invalid' }])
})
