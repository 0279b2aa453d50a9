// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { CallFleet } from './call-fleet.ts'

it('no worker is given up while the engine is away for longer than a silent worker may be', async () => {
  const fleet = await CallFleet.start()
  onTestFinished(async () => await fleet.close())
  const ids = [createRunId(), createRunId()] as const
  const runs = [fleet.run('front1', ids[0], 1000), fleet.run('front2', ids[1], 9000)]
  await Promise.all(ids.map(async (id) => await fleet.waitForBegin(id)))
  fleet.server.process.kill('SIGSTOP')
  await sleep(7000)
  fleet.server.process.kill('SIGCONT')
  await expect(Promise.all(runs)).resolves.toEqual(['completed', 'completed'])
})

it('calls end when the engine is away for longer than its front waits, and say what is known', async () => {
  const fleet = await CallFleet.start({ patienceMs: 2000 })
  onTestFinished(async () => await fleet.close())
  const begun = createRunId()
  const run = fleet.run('front1', begun, 6000)
  await fleet.waitForBegin(begun)
  fleet.server.process.kill('SIGSTOP')
  await sleep(3000)
  await expect(run).resolves.toBe('run/unknown')
  // Its start may have been sent.
  const sent = createRunId()
  await expect(fleet.run('front1', sent, 100)).resolves.toBe('run/unknown')
  fleet.server.process.kill('SIGCONT')
  const { engine } = fleet.fronts.front1
  await expect.poll(() => engine.health.isSteady, { timeout: 20_000 }).toBe(true)
  // The same call gets what happened to it.
  await expect(fleet.run('front1', begun, 6000)).resolves.toBe('completed')
  expect(fleet.begins(begun)).toBe(1)
})
